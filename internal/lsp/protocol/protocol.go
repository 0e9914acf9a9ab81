// Package protocol has the messages of the Language Server Protocol 3.17 that the server uses, as
// Go structs with the names of the specification.
package protocol

// A Position is a place in a text. Both numbers are from 0, and the character counts units of
// UTF-16.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// A Range is a part of a text. The end is the first position after it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// A Location is a range in a document.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// A TextEdit replaces a range.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// A WorkspaceEdit has the edits of documents.
type WorkspaceEdit struct {
	Changes map[string][]TextEdit `json:"changes"`
}

// A TextDocumentIdentifier names a document.
type TextDocumentIdentifier struct {
	URI string `json:"uri"`
}

// A VersionedTextDocumentIdentifier names a version of a document.
type VersionedTextDocumentIdentifier struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
}

// A TextDocumentItem is a document with its text.
type TextDocumentItem struct {
	URI        string `json:"uri"`
	LanguageID string `json:"languageId"`
	Version    int    `json:"version"`
	Text       string `json:"text"`
}

// A TextDocumentPositionParams is a position in a document.
type TextDocumentPositionParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Position     Position               `json:"position"`
}

// A TextDocumentContentChangeEvent is a change of a text: of a range, or of the whole text if there
// is none.
type TextDocumentContentChangeEvent struct {
	Range *Range `json:"range,omitempty"`
	Text  string `json:"text"`
}

// DidOpenTextDocumentParams are the parameters of textDocument/didOpen.
type DidOpenTextDocumentParams struct {
	TextDocument TextDocumentItem `json:"textDocument"`
}

// DidChangeTextDocumentParams are the parameters of textDocument/didChange.
type DidChangeTextDocumentParams struct {
	TextDocument   VersionedTextDocumentIdentifier  `json:"textDocument"`
	ContentChanges []TextDocumentContentChangeEvent `json:"contentChanges"`
}

// DidCloseTextDocumentParams are the parameters of textDocument/didClose and didSave.
type DidCloseTextDocumentParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
}

// Kinds of cells.
const (
	MarkupCell = 1
	CodeCell   = 2
)

// A NotebookCell is a cell of a notebook document, whose text is a document of its own.
type NotebookCell struct {
	Kind     int    `json:"kind"`
	Document string `json:"document"`
}

// A NotebookDocument is a notebook without its texts.
type NotebookDocument struct {
	URI   string         `json:"uri"`
	Cells []NotebookCell `json:"cells"`
}

// DidOpenNotebookDocumentParams are the parameters of notebookDocument/didOpen.
type DidOpenNotebookDocumentParams struct {
	NotebookDocument  NotebookDocument   `json:"notebookDocument"`
	CellTextDocuments []TextDocumentItem `json:"cellTextDocuments"`
}

// A NotebookCellArrayChange replaces cells.
type NotebookCellArrayChange struct {
	Start       int            `json:"start"`
	DeleteCount int            `json:"deleteCount"`
	Cells       []NotebookCell `json:"cells"`
}

// DidChangeNotebookDocumentParams are the parameters of notebookDocument/didChange.
type DidChangeNotebookDocumentParams struct {
	NotebookDocument VersionedTextDocumentIdentifier `json:"notebookDocument"`
	Change           struct {
		Cells *struct {
			Structure *struct {
				Array    NotebookCellArrayChange  `json:"array"`
				DidOpen  []TextDocumentItem       `json:"didOpen"`
				DidClose []TextDocumentIdentifier `json:"didClose"`
			} `json:"structure"`
			TextContent []struct {
				Document VersionedTextDocumentIdentifier  `json:"document"`
				Changes  []TextDocumentContentChangeEvent `json:"changes"`
			} `json:"textContent"`
		} `json:"cells"`
	} `json:"change"`
}

// NotebookDocumentParams are the parameters of notebookDocument/didSave and didClose.
type NotebookDocumentParams struct {
	NotebookDocument  TextDocumentIdentifier   `json:"notebookDocument"`
	CellTextDocuments []TextDocumentIdentifier `json:"cellTextDocuments"`
}

// Severities of diagnostics.
const (
	SeverityError       = 1
	SeverityWarning     = 2
	SeverityInformation = 3
	SeverityHint        = 4
)

// TagUnnecessary marks code that has no effect, which editors fade.
const TagUnnecessary = 1

// A Diagnostic is a message about a range.
type Diagnostic struct {
	Range    Range  `json:"range"`
	Severity int    `json:"severity"`
	Code     string `json:"code,omitempty"`
	Source   string `json:"source"`
	Message  string `json:"message"`
	Tags     []int  `json:"tags,omitempty"`
}

// PublishDiagnosticsParams are the diagnostics of a document.
type PublishDiagnosticsParams struct {
	URI         string       `json:"uri"`
	Version     int          `json:"version"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// A MarkupContent is a text in Markdown or plain text.
type MarkupContent struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// A Hover is a description.
type Hover struct {
	Contents MarkupContent `json:"contents"`
}

// Kinds of completion items.
const (
	MethodItem    = 2
	FunctionItem  = 3
	FieldItem     = 5
	VariableItem  = 6
	ClassItem     = 7
	InterfaceItem = 8
	ModuleItem    = 9
	KeywordItem   = 14
	FileItem      = 17
	ConstantItem  = 21
	StructItem    = 22
	EventItem     = 23
)

// A CompletionItem is one completion.
type CompletionItem struct {
	Label         string         `json:"label"`
	Kind          int            `json:"kind,omitempty"`
	Detail        string         `json:"detail,omitempty"`
	Documentation *MarkupContent `json:"documentation,omitempty"`
	SortText      string         `json:"sortText"`
	TextEdit      *TextEdit      `json:"textEdit"`
}

// A CompletionList has the completions of a position.
type CompletionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []CompletionItem `json:"items"`
}

// A ParameterInformation is the part of a signature's label for one parameter, in units of UTF-16.
type ParameterInformation struct {
	Label [2]int `json:"label"`
}

// A SignatureInformation is a signature of a function.
type SignatureInformation struct {
	Label         string                 `json:"label"`
	Documentation *MarkupContent         `json:"documentation,omitempty"`
	Parameters    []ParameterInformation `json:"parameters"`
}

// A SignatureHelp is the signature of the call at a position.
type SignatureHelp struct {
	Signatures      []SignatureInformation `json:"signatures"`
	ActiveSignature int                    `json:"activeSignature"`
	ActiveParameter int                    `json:"activeParameter"`
}

// ReferenceParams are the parameters of textDocument/references.
type ReferenceParams struct {
	TextDocumentPositionParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

// RenameParams are the parameters of textDocument/rename.
type RenameParams struct {
	TextDocumentPositionParams
	NewName string `json:"newName"`
}

// CodeActionParams are the parameters of textDocument/codeAction.
type CodeActionParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Range        Range                  `json:"range"`
	Context      struct {
		Diagnostics []Diagnostic `json:"diagnostics"`
	} `json:"context"`
}

// A CodeAction is a change that the user may apply.
type CodeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []Diagnostic  `json:"diagnostics,omitempty"`
	IsPreferred bool          `json:"isPreferred,omitempty"`
	Edit        WorkspaceEdit `json:"edit"`
}

// SemanticTokens are the tokens of a document, five numbers each.
type SemanticTokens struct {
	Data []int `json:"data"`
}

// Kinds of symbols.
const (
	MethodSymbol    = 6
	FunctionSymbol  = 12
	VariableSymbol  = 13
	ConstantSymbol  = 14
	StructSymbol    = 23
	InterfaceSymbol = 11
	ClassSymbol     = 5
)

// A DocumentSymbol is a declaration.
type DocumentSymbol struct {
	Name           string `json:"name"`
	Detail         string `json:"detail,omitempty"`
	Kind           int    `json:"kind"`
	Range          Range  `json:"range"`
	SelectionRange Range  `json:"selectionRange"`
}
