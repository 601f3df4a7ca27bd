"""What every entrance calls: PersistentMemory, and one short module of verbs per room."""
