// C++ extensions include it. ptosim's toolkit has no options that it would declare.
#pragma once
