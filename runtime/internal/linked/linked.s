// Functions without bodies need a file of assembly in the package.
