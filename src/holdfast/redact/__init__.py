"""What must not reach the disk: private text, secrets, our own words coming back, binary and endless output."""
