; Colours for Terrace. Later patterns win over earlier ones.

(name) @variable
(wildcard) @variable.builtin
(comment) @comment
(doc_comment) @comment.documentation
(string) @string
(escape) @string.escape
(integer) @number
(real) @number.float
(boolean) @boolean
(part) @number

[
  "def" "entry" "test" "type" "enum"
] @keyword.function
"import" @keyword.import
"as" @keyword.import
[
  "let" "in" "with" "by" "assert"
] @keyword
[
  "if" "then" "else" "match"
] @keyword.conditional
[
  "loop" "while" "for" "do"
] @keyword.repeat

[
  "->" "=>" "|>" "||" "&&" "==" "!=" "<=" ">=" "<<" ">>" "++" ".." "=" "<" ">" "+" "-" "*" "/" "%" "&" "|" "^" "!" "?"
] @operator
[
  "," ":" ";" "."
] @punctuation.delimiter
[
  "(" ")" "[" "]" "{" "}"
] @punctuation.bracket

(named_type name: (name) @type)
(named_type module: (name) @module)
((named_type name: (name) @type.builtin)
  (#match? @type.builtin "^(bool|i8|i16|i32|i64|u8|u16|u32|u64|f32|f64)$"))
(type_definition name: (name) @type.definition)
(enum_definition name: (name) @type.definition)
(generics name: (name) @type)
(generics class: (name) @type)
(record type: (name) @type)
(record_pattern name: (name) @type)
(variant name: (name) @constructor)
(variant_pattern name: (name) @constructor)

(record_type field: (name) @property)
(field_value field: (name) @property)
(record_pattern field: (name) @property)
(field field: (name) @property)
(record type: (field field: (name) @type))

(parameter pattern: (name) @variable.parameter)
(lambda_parameter pattern: (name) @variable.parameter)

(function_definition name: (name) @function)
(constant_definition name: (name) @constant)
(call function: (name) @function.call)
(call function: (field field: (name) @function.call))
(pipe (name) @function.call .)
((call function: (name) @type.builtin)
  (#match? @type.builtin "^(bool|i8|i16|i32|i64|u8|u16|u32|u64|f32|f64)$"))
