#define OVERWRITES
#include "layer.cpp"
