# CPack's script of operator repositories: an installer of what the build has staged below packages/vendors.
execute_process(COMMAND $ENV{ASCEND_HOME_PATH}/bin/ptosim-op --project package ${CPACK_TEMPORARY_DIRECTORY}
                        ${CPACK_TEMPORARY_DIRECTORY}/${CPACK_PACKAGE_FILE_NAME} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "ptosim op --project package failed")
endif()
foreach(folder ${CPACK_PACKAGE_DIRECTORY} ${CPACK_INSTALL_PREFIX})
  file(COPY ${CPACK_TEMPORARY_DIRECTORY}/${CPACK_PACKAGE_FILE_NAME} DESTINATION ${folder})
endforeach()
