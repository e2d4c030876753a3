// The registry of operators' functions that tests of hosts ask
// (base/registry/op_impl_space_registry_v2.h): a process has one, which libraries of hosts fill as
// they are loaded. metadef declares the class.
#include <dlfcn.h>

#include <cstdio>
#include <memory>
#include <string>

#include "base/registry/op_impl_space_registry_v2_impl.h"
#include "register/op_impl_registry_base.h"

namespace gert {

ge::graphStatus OpImplSpaceRegistryImpl::AddSoToRegistry(const OppSoDesc& libraries) {
    for (const ge::AscendString& path : libraries.GetSoPaths())
        if (dlopen(path.GetString(), RTLD_LAZY | RTLD_GLOBAL) == nullptr) {
            std::fprintf(stderr, "error: %s\n", dlerror());
            return ge::GRAPH_FAILED;
        }
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus OpImplSpaceRegistryImpl::AddRegistry(const std::shared_ptr<OpImplRegistryHolder>&) {
    return ge::GRAPH_SUCCESS;
}

const OpImplKernelRegistry::OpImplFunctionsV2* OpImplSpaceRegistryImpl::GetOpImpl(
    const std::string& type) const {
    return OpImplRegistry::GetInstance().GetOpImpl(type.c_str());
}

OpImplKernelRegistry::OpImplFunctionsV2* OpImplSpaceRegistryImpl::CreateOrGetOpImpl(
    const std::string& type) {
    return &OpImplRegistry::GetInstance().CreateOrGetOpImpl(type.c_str());
}

}  // namespace gert
