# Makes OUT from language_texts.cpp.in of FOLDER: the examples and the page API as texts of the program.
file(READ ${FOLDER}/examples_a2a3.pto PTOSIM_EXAMPLES_A2A3)
file(READ ${FOLDER}/examples_a5.pto PTOSIM_EXAMPLES_A5)
file(READ ${API} PTOSIM_API)
configure_file(${FOLDER}/language_texts.cpp.in ${OUT} @ONLY)
