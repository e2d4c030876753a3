// The main function of tests of hosts: it loads the operators' library from its own folder.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "base/registry/op_impl_space_registry_v2.h"
#include "platform/platform_info.h"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    fe::OptionalInfos chip;
    fe::PlatformInfoManager::GeInstance().SetOptionalCompilationInfo(chip);
    const std::string folder = std::filesystem::canonical(argv[0]).parent_path().string();
    const gert::OppSoDesc libraries(
        {ge::AscendString((folder + "/libophost_samples_ut.so").c_str())}, "samples");
    const auto registry = std::make_shared<gert::OpImplSpaceRegistryV2>();
    if (registry->AddSoToRegistry(libraries) != ge::GRAPH_SUCCESS) return 3;
    gert::DefaultOpImplSpaceRegistryV2::GetInstance().SetSpaceRegistry(registry);
    return RUN_ALL_TESTS();
}
