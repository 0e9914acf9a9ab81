package agent

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The addresses of resources: a notebook, and one of its cells by id or number.
const (
	notebookScheme   = "notebook"
	notebookTemplate = "notebook:///{+notebook}"
	cellTemplate     = "notebook:///{+notebook}{?cell}"
)

// addResources makes the notebooks of the folder and their cells resources, which users of a client
// can attach to a message.
func (a *Agent) addResources(s *mcp.Server) {
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "notebook", Title: "Notebook", Description: "The cells of a notebook with their stored outputs.", MIMEType: "text/plain", URITemplate: notebookTemplate,
	}, a.readResource)
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "cell", Title: "Cell", Description: "A cell by its id or number, with its stored outputs and figures.", URITemplate: cellTemplate,
	}, a.readResource)
	// The list is that of the folder at the time of the request.
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			if method != "resources/list" {
				return next(ctx, method, request)
			}
			names, _, err := a.list()
			result := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}
			for _, name := range names {
				result.Resources = append(result.Resources, &mcp.Resource{Name: name, URI: notebookURI(name), MIMEType: "text/plain"})
			}
			return result, err
		}
	})
}

// notebookURI returns the address of a notebook.
func notebookURI(name string) string {
	return (&url.URL{Scheme: notebookScheme, Path: "/" + name}).String()
}

// readResource returns a notebook or a cell: a text, and the figures of a cell.
func (a *Agent) readResource(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	address := request.Params.URI
	u, err := url.Parse(address)
	if err != nil || u.Scheme != notebookScheme || u.Host != "" {
		return nil, mcp.ResourceNotFoundError(address)
	}
	in := readArguments{Pictures: u.Query().Has("cell")}
	in.Notebook = strings.TrimPrefix(u.Path, "/")
	if in.Pictures {
		in.Cells = []string{u.Query().Get("cell")}
	}
	cells, _, err := notebooks{a}.readCells(ctx, nil, in)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	result := new(mcp.ReadResourceResult)
	for _, c := range cells.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			result.Contents = append(result.Contents, &mcp.ResourceContents{URI: address, MIMEType: "text/plain", Text: c.Text})
		case *mcp.ImageContent:
			result.Contents = append(result.Contents, &mcp.ResourceContents{URI: address, MIMEType: c.MIMEType, Blob: c.Data})
		}
	}
	return result, nil
}

// prompts are tasks that users of a client choose from a list. The text has a %s for the argument.
var prompts = []struct{ name, title, description, argument, about, text string }{
	{"repair_notebook", "Repair a notebook", "Find the cells that fail and mend them.", "notebook", "name of the notebook",
		"Repair the notebook %s. Use check_notebook first, then run_cells. For each cell that fails, read the error and its hint, look up what you do not know with " +
			"documentation, and edit the cell with the smallest change. Run the notebook from the top at the end, and say what you changed and why."},
	{"explain_results", "Explain results", "Find out on what the results of a notebook depend, and whether they can be trusted.", "notebook", "name of the notebook",
		"Explain the results of the notebook %s. Use list_cells, read_cells with pictures, and cell_dependencies. Say which cells each result depends on, whether stored " +
			"outputs are older than their source, and what check_notebook reports. Change nothing."},
	{"port_python", "Port Python", "Write Python code as cells of Go.", "code", "Python code",
		"Write this Python code as cells of Go in a new notebook. Find the packages with search_packages, check each cell with check_code before you run it, and compare " +
			"the printed values with those that the Python code prints:\n\n%s"},
}

// addPrompts adds the prompts.
func addPrompts(s *mcp.Server) {
	for _, p := range prompts {
		arguments := []*mcp.PromptArgument{{Name: p.argument, Description: p.about, Required: true}}
		s.AddPrompt(&mcp.Prompt{Name: p.name, Title: p.title, Description: p.description, Arguments: arguments}, func(_ context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			value := request.Params.Arguments[p.argument]
			if value == "" {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("the prompt %s needs the argument %s: %s", p.name, p.argument, p.about)}
			}
			return &mcp.GetPromptResult{Description: p.description, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: fmt.Sprintf(p.text, value)}}}}, nil
		})
	}
}
