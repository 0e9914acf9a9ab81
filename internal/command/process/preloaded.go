package process

import "gosphere/runtime/session"

// Preloaded holds the packages that are compiled in for cells. Main sets it before any subcommand
// runs.
var Preloaded session.Packages
