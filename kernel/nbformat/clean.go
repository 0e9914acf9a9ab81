package nbformat

// RunMetadata are the metadata, of notebooks and cells, that programs store about a run or a view:
// times, the state of widgets, collapsed cells.
var RunMetadata = []string{"widgets", "papermill", "execution", "ExecuteTime", "scrolled", "collapsed", "toc-hr-collapsed"}

// Clean removes the parts that differ between runs of the same notebook: outputs, execution counts
// and [RunMetadata]. If keepOutputs is set, it removes only the metadata.
func (n *Notebook) Clean(keepOutputs bool) {
	if !keepOutputs {
		n.ClearOutputs()
	}
	remove := func(metadata map[string]any) {
		for _, name := range RunMetadata {
			delete(metadata, name)
		}
	}
	if widgets := n.Metadata["widgets"]; keepOutputs && widgets != nil {
		defer func() { n.Metadata["widgets"] = widgets }() // front ends draw the outputs from it
	}
	remove(n.Metadata)
	for _, cell := range n.Cells {
		remove(cell.Metadata)
	}
}
