"""Tests of operators: the class that they derive from is in `testcase`."""
