package agent

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// instructions are what a client passes to its model.
const instructions = `gosphere runs Go cells in Jupyter notebooks. A cell contains declarations, statements and expressions in any order; ` +
	`the value of its last expression is shown. Packages are imported automatically by their names, such as strings, stat (gonum) or figure; ` +
	`an import line is needed only for others. Names may be declared again. Errors of the compiler name line and column, and most have a hint with the line to write. ` +
	`Check code with check_code before running it, look packages up with search_packages and documentation, and run cells in the order of the notebook. ` +
	`A value that is a plot or an image is shown as a picture.`

// Server returns a server with the tools that the options permit.
func (a *Agent) Server() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "gosphere", Title: "Go notebooks", Version: a.options.Version},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{}})
	a.addReading(server)
	a.addResources(server)
	addPrompts(server)
	if !a.options.ReadOnly {
		a.addEditing(server)
		a.addRunning(server)
	}
	return server
}

// A handler is the function of a tool.
type handler[In any] func(context.Context, *mcp.CallToolRequest, In) (*mcp.CallToolResult, any, error)

// What a tool may change, for clients that ask the user before a call.
var (
	no, yes = false, true

	reads    = &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}
	adds     = &mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no}
	replaces = &mcp.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &no}
	executes = &mcp.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &yes}
)

func add[In any](server *mcp.Server, name, description string, changes *mcp.ToolAnnotations, do handler[In]) {
	mcp.AddTool(server, &mcp.Tool{Name: name, Description: description, Annotations: changes}, mcp.ToolHandlerFor[In, any](do))
}

// addReading adds the tools that change nothing and run nothing.
func (a *Agent) addReading(s *mcp.Server) {
	add(s, "list_notebooks", "List the notebooks of the folder.", reads, notebooks{a}.listNotebooks)
	add(s, "list_cells", "List the cells of a notebook: number, id, type, state and first line.", reads, notebooks{a}.listCells)
	add(s, "read_cells", "Read cells of a notebook with their stored outputs, errors and, on request, figures.", reads, notebooks{a}.readCells)
	add(s, "check_notebook", "Report mistakes in a notebook without running it: cells that do not compile, names used above their definition, "+
		"results that depend on the order of execution, ignored errors, and others. Each finding has a hint where one is known.", reads, a.checkNotebook)
	add(s, "check_code", "Type-check code without running it, as a cell below those of a notebook. The result is the errors with hints, "+
		"or what the code defines and the type of its value.", reads, a.checkCode)
	add(s, "cell_dependencies", "Report what a cell defines, reads and changes, which cells must run before it, and which must run again after it changed.", reads, a.cellDependencies)
	add(s, "documentation", "Show the documentation of a package, of a symbol, or of a name of a running session with its value.", reads, manual{a}.documentation)
	add(s, "search_packages", "Search the packages that cells can import without fetching modules, by words in names and documentation.", reads, manual{a}.searchPackages)
	add(s, "list_kernels", "List the running kernels.", reads, a.listKernels)
	add(s, "session_cells", "List the cells that a running kernel has executed, in their order.", reads, a.sessionCells)
}

// addEditing adds the tools that change notebooks.
func (a *Agent) addEditing(s *mcp.Server) {
	add(s, "create_notebook", "Create a notebook. An existing file is never overwritten.", adds, notebooks{a}.createNotebook)
	add(s, "insert_cell", "Insert a cell into a notebook.", adds, notebooks{a}.insertCell)
	add(s, "edit_cell", "Replace the text of a cell, or one part of it.", replaces, notebooks{a}.editCell)
	add(s, "move_cell", "Move a cell within its notebook.", replaces, notebooks{a}.moveCell)
	add(s, "delete_cell", "Delete a cell.", replaces, notebooks{a}.deleteCell)
	add(s, "revert", "Undo the last change that this server made to a notebook, or the last edit of one cell. May be called repeatedly.", replaces, notebooks{a}.revert)
}

// addRunning adds the tools that run cells.
func (a *Agent) addRunning(s *mcp.Server) {
	add(s, "run_cells", "Run cells of a notebook in its kernel, store their outputs in the notebook, and return them. The run ends at the first error. "+
		"Figures are returned as pictures.", executes, a.runCells)
	add(s, "run_code", "Run code in a kernel without changing a notebook, for instance to look at a value.", executes, a.runCode)
	add(s, "list_variables", "List the variables of a running kernel with types, sizes and values.", reads, a.listVariables)
	add(s, "interrupt_kernel", "Interrupt the running cells of a kernel. Variables are kept.", executes, a.interruptKernel)
	add(s, "stop_kernel", "End a kernel. Its variables are lost; the next run starts a new one.", executes, a.stopKernel)
}
