// Package editing implements the subcommands that serve programs which write cells: mcp for agents
// and lsp for editors.
package editing

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gosphere/internal/agent"
	"gosphere/internal/command/kernel"
	"gosphere/internal/command/process"
	"gosphere/kernel/client"
)

// MCP is the subcommand that serves agents.
type MCP struct {
	Folder     string           `arg:"" optional:"" default:"." type:"path" help:"Folder with the notebooks. Notebooks outside of it are refused (default: the working directory)."`
	Connection string           `placeholder:"FILE" type:"path" help:"Connection file of a running kernel, in which all cells run."`
	ReadOnly   bool             `help:"Leave out the tools that change notebooks or run cells."`
	Timeout    time.Duration    `default:"5m" help:"Time limit per cell (default 5m)."`
	Output     process.Positive `default:"20000" help:"Number of characters of the longest result of a tool (default 20000)."`
	HTTP       string           `name:"http" placeholder:"PORT" help:"Serve HTTP at a port of this machine, or at a free one for 0, instead of the standard streams. The token that clients need is that of the variable GOSPHERE_MCP_TOKEN, or a random one, which is printed."`

	kernel.Limits
}

// Help returns the text that gosphere mcp --help shows below the first line.
func (*MCP) Help() string {
	return "An agent starts this command and speaks the Model Context Protocol with it. Cells run in kernels of their own, one for each notebook; " +
		"--no-network, --no-processes and --confine limit these kernels. Agents get their configuration as docs/agents.md shows."
}

// tokenVariable names the environment variable with the token for HTTP.
const tokenVariable = "GOSPHERE_MCP_TOKEN"

// Run serves until the client closes the connection or the process is asked to end.
func (m *MCP) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a, err := m.agent()
	if err != nil {
		return err
	}
	defer a.Close()
	if m.HTTP != "" {
		return m.serve(ctx, a, os.Stderr)
	}
	if err := a.Server().Run(ctx, &mcp.StdioTransport{}); err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// agent returns the agent that the flags describe.
func (m *MCP) agent() (*agent.Agent, error) {
	if m.Timeout <= 0 {
		return nil, fmt.Errorf("--timeout %s: want a duration above 0", m.Timeout)
	}
	if m.Connection != "" && !m.Limits.None() {
		return nil, errors.New("--connection: a kernel that is running cannot be limited; start it with the flags --no-network, --no-processes and --confine of gosphere kernel")
	}
	compiled, err := process.Preloaded.Open()
	if err != nil {
		return nil, err
	}
	return agent.New(agent.Options{
		Folder: m.Folder, Packages: compiled, Launch: m.launch, Connection: m.Connection, ReadOnly: m.ReadOnly,
		Timeout: m.Timeout, Output: int(m.Output), Version: process.Release(),
	})
}

// launch starts a kernel with the limits.
func (m *MCP) launch(ctx context.Context, folder string) (*client.Process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return client.Start(ctx, func(connectionFile string) (*exec.Cmd, error) {
		command := exec.Command(program, append([]string{"kernel", connectionFile}, m.Limits.Arguments()...)...)
		command.Dir = folder
		if m.Confine != "" { // the folder for temporary files must be one that the cells may use
			command.Env = append(os.Environ(), "TMPDIR="+filepath.Dir(connectionFile))
		}
		return command, nil
	})
}

// serve serves HTTP.
func (m *MCP) serve(ctx context.Context, a *agent.Agent, stderr io.Writer) error {
	if port, err := strconv.Atoi(m.HTTP); err != nil || port < 0 || port > 65535 {
		return fmt.Errorf("--http %s: want a port, 0 to 65535", m.HTTP)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", m.HTTP))
	if err != nil {
		return fmt.Errorf("--http %s: %w", m.HTTP, err)
	}
	token := os.Getenv(tokenVariable)
	shown := "the value of " + tokenVariable
	if token == "" {
		token = rand.Text()
		shown = token
	}
	fmt.Fprintf(stderr, "url    http://%s\ntoken  %s\n", listener.Addr(), shown)
	return a.Serve(ctx, listener, token)
}
