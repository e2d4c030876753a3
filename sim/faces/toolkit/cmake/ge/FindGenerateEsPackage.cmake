# Builders of graphs for the operators of a package. There are no graphs here, so their targets are empty.
set(GenerateEsPackage_FOUND TRUE)

function(add_es_library)
  cmake_parse_arguments(ES "" "ES_LINKABLE_AND_ALL_TARGET;OPP_PROTO_TARGET;OUTPUT_PATH" "" ${ARGN})
  add_library(${ES_ES_LINKABLE_AND_ALL_TARGET} INTERFACE)
  add_custom_target(build_${ES_ES_LINKABLE_AND_ALL_TARGET})
endfunction()

function(add_es_library_and_whl)
  add_es_library(${ARGN})
endfunction()
