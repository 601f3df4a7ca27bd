"""The library for programs: memory as an object, and as files.

Library: PersistentMemory, MemoryContext, TaskMemoryContext, SyncResult, MemoryFiles
"""
