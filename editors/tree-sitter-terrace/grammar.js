// The grammar of Terrace for tree-sitter.
//
// It follows docs/reference/grammar.md rule by rule, with two differences: it accepts a little more (a name bound twice, a chain of
// comparisons), because an editor colours programs that are not finished; and it leaves open what only the checker knows (whether the `n` of
// `matrix[n, f64]` is a size or a type).
//
// `cargo xtask grammars` generates the parser and runs it over every program of the repository.

const LEVEL = {
  reach: -1, // if, let, loop and lambdas reach as far to the right as they can
  pipe: 1,
  with: 2,
  range: 3,
  or: 4,
  and: 5,
  compare: 6,
  concat: 7,
  bit_or: 8,
  bit_xor: 9,
  bit_and: 10,
  shift: 11,
  add: 12,
  multiply: 13,
  prefix: 14,
  postfix: 15,
};

const OPERATORS = [
  [LEVEL.or, ['||']],
  [LEVEL.and, ['&&']],
  [LEVEL.compare, ['==', '!=', '<', '<=', '>', '>=']],
  [LEVEL.concat, ['++']],
  [LEVEL.bit_or, ['|']],
  [LEVEL.bit_xor, ['^']],
  [LEVEL.bit_and, ['&']],
  [LEVEL.shift, ['<<', '>>']],
  [LEVEL.add, ['+', '-']],
  [LEVEL.multiply, ['*', '/', '%']],
];

// A list with commas between, and perhaps one at its end.
const list = (rule) => optional(list1(rule));
const list1 = (rule) => seq(rule, repeat(seq(',', rule)), optional(','));

module.exports = grammar({
  name: 'terrace',

  word: ($) => $.name,

  extras: ($) => [/\s|﻿/, $.doc_comment, $.comment],

  conflicts: ($) => [
    // `match p { …`: a record `p{x = 1}`, or the arms?
    [$._expression, $.record],
    // `matrix[n]`: a size or a type?
    [$.named_type, $._expression],
    [$.tuple_type, $.tuple],
    [$.array_type, $.array],
  ],

  rules: {
    source_file: ($) => repeat($._item),

    doc_comment: (_) => token(prec(1, /--\|[^\n]*/)),
    comment: (_) => token(/--[^\n]*/),

    _item: ($) =>
      choice($.import, $.type_definition, $.enum_definition, $.function_definition, $.constant_definition, $.test),

    import: ($) => seq('import', field('path', $.string), optional(seq('as', field('alias', $.name)))),

    type_definition: ($) =>
      seq('type', field('name', $.name), optional($.generics), '=', field('body', choice($.record_type, $._type))),

    record_type: ($) => seq('{', list(seq(field('field', $.name), ':', $._type)), '}'),

    enum_definition: ($) =>
      seq('enum', field('name', $.name), optional($.generics), '=', $.variant, repeat(seq('|', $.variant))),

    variant: ($) => seq(field('name', $.name), optional(seq('(', list($._type), ')'))),

    function_definition: ($) =>
      seq(
        choice('def', 'entry'),
        field('name', $.name),
        optional($.generics),
        '(',
        list($.parameter),
        ')',
        optional(seq('->', field('result', choice($._type, $.exists_type)))),
        '=',
        field('body', $._expression),
      ),

    constant_definition: ($) =>
      seq('def', field('name', $.name), optional(seq(':', $._type)), '=', field('body', $._expression)),

    test: ($) => seq('test', field('name', $.string), '=', field('body', $._expression)),

    generics: ($) => seq('[', list1(seq(field('name', $.name), optional(seq(':', field('class', $.name))))), ']'),

    parameter: ($) => seq(field('pattern', $._pattern), optional(seq(':', optional('*'), field('type', $._type)))),

    // Types.

    _type: ($) => choice($.named_type, $.tuple_type, $.function_type, $.array_type),

    named_type: ($) =>
      prec.dynamic(
        1,
        seq(
          optional(seq(field('module', $.name), '.')),
          field('name', $.name),
          optional(seq('[', list1($._type_argument), ']')),
        ),
      ),

    _type_argument: ($) => choice($._type, $._expression),

    tuple_type: ($) => prec.dynamic(1, seq('(', list($._type), ')')),

    function_type: ($) => seq($.tuple_type, '->', $._type),

    array_type: ($) => seq('[', optional(field('size', choice($.counted_size, $._expression))), ']', $._type),

    // A size is never a comparison.
    counted_size: ($) => prec(1, seq(field('position', $.name), '<', $._expression)),

    exists_type: ($) => seq('?', '[', list1($.name), ']', '.', $._type),

    // Patterns.

    _pattern: ($) => choice($.name, $.wildcard, $.tuple_pattern, $.record_pattern, $.variant_pattern),

    wildcard: (_) => '_',

    tuple_pattern: ($) => seq('(', list($._arm_pattern), ')'),

    record_pattern: ($) =>
      seq($._path, '{', list(choice('..', seq(field('field', $.name), optional(seq('=', $._arm_pattern))))), '}'),

    variant_pattern: ($) => choice(seq($._path, '(', list($._arm_pattern), ')'), $._long_path),

    _arm_pattern: ($) => choice($._pattern, $._literal, $.negative, $.alternatives),

    negative: ($) => seq('-', choice($.integer, $.real)),

    alternatives: ($) => prec.left(seq($._arm_pattern, '|', $._arm_pattern)),

    _path: ($) => choice(field('name', $.name), $._long_path),

    _long_path: ($) => seq(field('module', $.name), '.', field('name', $.name)),

    // Expressions.

    _expression: ($) =>
      choice(
        $.let,
        $.if,
        $.loop,
        $.lambda,
        $.pipe,
        $.update,
        $.range,
        $.binary,
        $.unary,
        $.call,
        $.index,
        $.field,
        $.component,
        $.record,
        $.match,
        $.tuple,
        $.section,
        $.array,
        $.comprehension,
        $._literal,
        $.name,
      ),

    let: ($) =>
      prec.right(LEVEL.reach, seq(repeat1(choice($.binding, $.place_binding, $.assert)), 'in', $._expression)),

    binding: ($) =>
      seq('let', field('pattern', $._pattern), optional(seq(':', field('type', $._type))), '=', $._expression),

    place_binding: ($) => seq('let', field('name', $.name), $.place, '=', $._expression),

    assert: ($) => seq('assert', '(', $._expression, ',', $.string, optional(','), ')'),

    if: ($) =>
      prec.right(LEVEL.reach, seq('if', $._expression, 'then', $._expression, 'else', $._expression)),

    loop: ($) =>
      prec.right(
        LEVEL.reach,
        seq(
          'loop',
          field('pattern', $._pattern),
          '=',
          $._expression,
          choice(seq('while', $._expression), seq('for', $.generator)),
          'do',
          $._expression,
        ),
      ),

    lambda: ($) => prec.right(LEVEL.reach, seq('|', list1($.lambda_parameter), '|', $._expression)),

    lambda_parameter: ($) => seq(field('pattern', $._pattern), optional(seq(':', field('type', $._type)))),

    pipe: ($) => prec.left(LEVEL.pipe, seq($._expression, '|>', $._expression)),

    update: ($) =>
      prec.left(
        LEVEL.with,
        seq($._expression, 'with', choice(seq($.place, '=', $._expression), seq('{', list($.field_value), '}'))),
      ),

    range: ($) => prec.left(LEVEL.range, seq($._expression, '..', $._expression)),

    binary: ($) =>
      choice(
        ...OPERATORS.map(([level, symbols]) =>
          prec.left(level, seq($._expression, field('operator', symbols.length === 1 ? symbols[0] : choice(...symbols)), $._expression)),
        ),
      ),

    unary: ($) => prec(LEVEL.prefix, seq(field('operator', choice('-', '!')), $._expression)),

    call: ($) => prec(LEVEL.postfix, seq(field('function', $._expression), '(', list($._expression), ')')),

    index: ($) => prec(LEVEL.postfix, seq(field('array', $._expression), $.place)),

    field: ($) => prec(LEVEL.postfix, seq(field('value', $._expression), '.', field('field', $.name))),

    component: ($) => prec(LEVEL.postfix, seq(field('value', $._expression), '.', field('part', $.part))),

    part: (_) => /[0-9]+/,

    record: ($) => seq(field('type', choice($.name, $.field)), '{', list($.field_value), '}'),

    field_value: ($) => seq(field('field', $.name), optional(seq('=', $._expression))),

    match: ($) => seq('match', field('value', $._expression), '{', list($.arm), '}'),

    arm: ($) => seq($._arm_pattern, optional(seq('if', $._expression)), '=>', $._expression),

    place: ($) =>
      seq(
        '[',
        choice(list1($._subscript), seq($._expression, ';', list1(seq($._expression, 'by', $._expression)))),
        ']',
      ),

    _subscript: ($) => choice($._expression, $.slice),

    slice: ($) =>
      choice(
        seq($._expression, 'by', $._expression),
        seq($._expression, '..', optional(seq('by', $._expression))),
        seq('..', optional($._expression), optional(seq('by', $._expression))),
      ),

    tuple: ($) => seq('(', list($._expression), ')'),

    section: (_) => seq('(', choice(...OPERATORS.flatMap(([, symbols]) => symbols)), ')'),

    array: ($) => seq('[', list($._expression), ']'),

    comprehension: ($) =>
      seq('[', $._expression, 'for', list1($.generator), optional(seq('if', $._expression)), ']'),

    generator: ($) =>
      choice(
        seq(field('pattern', $._pattern), 'in', $._expression),
        seq(field('position', choice($.name, $.wildcard)), '<', $._expression),
      ),

    _literal: ($) => choice($.integer, $.real, $.string, $.boolean),

    boolean: (_) => choice('true', 'false'),

    integer: (_) =>
      token(/(0x[0-9a-fA-F_]+|0b[01_]+|0o[0-7_]+|[0-9][0-9_]*)(i8|i16|i32|i64|u8|u16|u32|u64)?/),

    real: (_) =>
      token(/[0-9][0-9_]*(\.[0-9][0-9_]*([eE][+-]?[0-9_]+)?(f32|f64)?|[eE][+-]?[0-9_]+(f32|f64)?|f32|f64)/),

    string: ($) => seq('"', repeat(choice($.escape, token.immediate(prec(1, /[^"\\\n]+/)))), token.immediate('"')),

    escape: (_) => token.immediate(/\\[ntr0\\"]/),

    name: (_) => /[A-Za-z_][A-Za-z0-9_]*/,
  },
});
