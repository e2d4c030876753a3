"""What extensions of torch_npu are built with: `cpp_extension`."""
