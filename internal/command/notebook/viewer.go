package notebook

import "os/exec"

// openImages is the value of ImagesVariable for pictures that the desktop's viewer opens.
const openImages = "open"

// viewer returns the command that opens a file on the desktop of a system, or nil where the
// environment has no desktop. A session over SSH has none: its windows would open elsewhere.
func viewer(environment func(string) string, system string) []string {
	chosen := environment(ImagesVariable)
	if chosen != "" && chosen != openImages {
		return nil
	}
	remote := chosen == "" && (environment("SSH_CONNECTION") != "" || environment("SSH_TTY") != "")
	switch {
	case remote:
		return nil
	case system == "darwin":
		return []string{"open"}
	case system == "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	case environment("DISPLAY") != "", environment("WAYLAND_DISPLAY") != "", chosen == openImages:
		return []string{"xdg-open"}
	}
	return nil
}

// view opens a file with a command of viewer, and does not wait for the viewer. The path has been
// printed, so a viewer that is missing or fails is no error.
func view(command []string, path string) {
	if len(command) == 0 {
		return
	}
	opened := exec.Command(command[0], append(command[1:len(command):len(command)], path)...)
	apart(opened)
	if opened.Start() == nil {
		go func() { _ = opened.Wait() }() // ends with the viewer
	}
}
