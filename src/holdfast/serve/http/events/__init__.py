"""What happens in a workspace, told to whoever listens: messages in order, each with a cursor to go on from."""
