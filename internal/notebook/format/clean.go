package format

// RunMetadata are the metadata, of notebooks and of cells, that programs note about a run or a reader: times, the state of
// widgets, what is folded.
var RunMetadata = []string{"widgets", "papermill", "execution", "ExecuteTime", "scrolled", "collapsed", "toc-hr-collapsed"}

// Clean removes what differs between two runs of the same notebook: outputs, execution counts and [RunMetadata]. With
// outputs kept it removes the metadata alone.
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
		defer func() { n.Metadata["widgets"] = widgets }() // a page draws the outputs from them
	}
	remove(n.Metadata)
	for _, cell := range n.Cells {
		remove(cell.Metadata)
	}
}
