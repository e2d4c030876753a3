"""Build support for extensions of torch_npu: `cpp_extension`."""
