"""Programs of hw-native-sys/simpler on this simulator: how their platform is compiled, and put in place."""
