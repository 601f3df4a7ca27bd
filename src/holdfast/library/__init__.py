"""The library for programs: PersistentMemory and memory as files."""
