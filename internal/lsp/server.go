// Package lsp is a language server for cells of Go: notebooks, files of cells and scripts. It
// speaks the Language Server Protocol 3.17 with notebook documents.
//
// Cells are checked in the order of the document, as a session would. Attached to a running kernel,
// the server checks each cell below those that the kernel has executed instead. An edit checks the
// cell again, and those that depend on what it declares only if that has changed.
//
// Read server.go (messages), document.go (texts), analysis.go (checking), live.go (kernels), then
// the files of the requests.
package lsp
