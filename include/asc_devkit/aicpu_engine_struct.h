// Names of the framework of AICPU kernels that headers of executors mention. Kernels of two-phase
// calls do not run on the AICPU, so they have no members.
#pragma once

namespace aicpu::FWKAdapter {
struct ShapeAndType {};
struct ExtInfo {};
enum FWKTaskExtInfoType : int {};
}  // namespace aicpu::FWKAdapter
struct SessionInfo {};
struct STR_FWK_OP_KERNEL {};
