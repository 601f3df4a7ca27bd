"""What kind of project a folder is: languages, entry points, key files, the tree as git sees it."""
