#pragma once
#include "pto/fifo/manual_sync.hpp"
