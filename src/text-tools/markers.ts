/** The markers that models put around calls. To support a new format, it is usually enough to add a line to this file. */

/** Some models use a namespace, as in `<ns:invoke>`. DeepSeek's tokens exist with two kinds of bars and three kinds of separators. */
const SPACES = ['', 'minimax:', 'seed:', 'steptml:', 'xai:', `${'ant'}ml:`, '｜DSML｜', '|DSML|'];
const deepseek = (words: string) =>
  ['｜', '|'].flatMap((bar) => ['▁', '_', ' '].map((gap) => `<${bar}${words.replaceAll(' ', gap)}${bar}>`));
const withNamespaces = (...names: string[]) => SPACES.flatMap((space) => names.map((name) => `${space}${name}`));

/** MiniMax M3 writes this prefix before each tag that is markup, so that values can contain any text. */
export const M3 = ']<]minimax[>[';

/** Adds variants with escaped underscores, because models that write Markdown may escape them. */
function escapable(...words: string[]): string[] {
  return words.flatMap((word) => [word, word.replaceAll('_', '\\_')]);
}

const WRAPPED = [
  ...withNamespaces('tool_call', 'tool_calls', 'function_call', 'function_calls'),
  ...'functioncall tool tools tool_use tool_request tool_code toolcall TOOLCALL TOOL_CALL longcat_tool_call function'.split(' '),
];

/** Opening markers. They are followed by calls in any form and a closing marker, which some models omit. */
const WRAPPERS: readonly string[] = [
  ...WRAPPED.map((name) => `<${name}>`),
  '<invoke>',
  '<|python_tag|>',
  '<|python_start|>',
  '<start_function_call>',
  '<|tool_call>',
  '<|tools_prefix|>',
  '<|tool_call|>',
  '<|tool_calls|>',
  '<|tool_call_start|>',
  '<|START_ACTION|>',
  '<|function_call|>',
  '<|message_sep|>\n\nfunction call<|role_sep|>\n',
  '<|action_start|><|plugin|>',
  '<|action_start|> <|plugin|>',
  '<|tool_calls_section_begin|>',
  '<|tool_call_section_begin|>',
  ...deepseek('tool calls begin'),
  ...escapable('[TOOL_CALLS]', '[TOOL_CALL]', '[TOOL_REQUEST]'),
  '<|open|>tools<|sep|>',
  `${M3}<tool_call>`,
];

export const WRAPPER_TAGS: readonly string[] = WRAPPED.map((name) => `<${name}>`);

/** Returns the closing tag of a marker that is a tag. */
export function closerOf(mark: string): string | undefined {
  const name = mark.slice(1, -1);
  return WRAPPED.includes(name) ? `</${name}>` : undefined;
}

/** The beginnings of the `WRAPPER_TAGS` with attributes, such as an id or the tool's name. */
export const ATTRIBUTED: readonly string[] = WRAPPED.map((name) => `<${name} `);

/** The markers of Qwen-Agent before the tool's name and before the arguments. */
export const QWEN_NAME = '✿FUNCTION✿:';
export const QWEN_ARGUMENTS = '✿ARGS✿:';

/** Tags around the name and around the arguments, used inside an opening marker. */
export const NAME_TAGS: readonly string[] = ['<name>', '<tool_name>', '<function_name>', '<tool>', '<function>'];
export const INPUT_TAGS: readonly string[] = ['<arguments>', '<parameters>', '<args>', '<input>', '<tool_input>'];

/** Tags for key-value pairs (GLM, Hunyuan, LongCat). */
export const KEY_TAGS: readonly string[] = ['<arg_key>', '<longcat_arg_key>'];

/** Closing markers. After a call, they are never shown as text. */
export const CLOSERS: readonly string[] = [
  ...WRAPPED.map((name) => `</${name}>`),
  '</invoke>',
  '<|/tool_call|>',
  '<|/tool_calls|>',
  '<|role_end|>',
  '<|tool_call_end|>',
  '<|END_ACTION|>',
  '<|action_end|>',
  '<|tool_calls_section_end|>',
  '<|tool_call_section_end|>',
  ...deepseek('tool calls end'),
  ...deepseek('tool call end'),
  ...deepseek('end of sentence'),
  ...escapable('[/TOOL_CALLS]', '[/TOOL_CALL]', '[END_TOOL_REQUEST]'),
  '<|call|>',
  '<|python_end|>',
  '<end_function_call>',
  '<tool_call|>',
  '<|tools_suffix|>',
  '<|observation|>',
  '<|eom_id|>',
  '<|eom|>',
  '<|eot|>',
  '<|eot_id|>',
  '<|im_end|>',
  '<|end|>',
  '<|return|>',
  '<|endoftext|>',
  '[|endofturn|]',
  '✿RESULT✿:',
  '✿RESULT✿',
  '</s>',
  '<|close|>tools<|sep|>',
  '<|close|>response<|sep|>',
  '<|close|>message<|sep|>',
  '<|end_of_msg|>',
  `${M3}</tool_call>`,
  '[e~[',
];

/** The form `<function=name>` with `<parameter=key>`. */
export const FUNCTIONS: readonly string[] = ['<function='];
/** The form `<invoke name="…">` with `<parameter name="…">`. */
export const INVOKES: readonly string[] = withNamespaces('invoke', 'function', 'tool_call', 'function_call', 'tool', 'tool_use').map(
  (name) => `<${name} name=`,
);
export const PARAMETERS: readonly string[] = withNamespaces('parameter', 'param', 'argument').map((name) => `<${name} name=`);

/** Tokens before a single call and between its name and arguments (DeepSeek, Kimi). */
export const CALL_BEGINS: readonly string[] = ['<|tool_call_begin|>', ...deepseek('tool call begin')];
export const CALL_SEPARATORS: readonly string[] = ['<|tool_call_argument_begin|>', '<|tool_sep|>', ...deepseek('tool sep')];

/** The beginning of a call in XTML, the format of Kimi K3, and in the format of MiniMax M3. */
export const XTML_CALL = '<|open|>call ';
export const M3_INVOKE = `${M3}<invoke name=`;

/** All markers that begin a call. */
export const STARTS: readonly string[] = [...WRAPPERS, ...ATTRIBUTED, ...FUNCTIONS, ...INVOKES, ...CALL_BEGINS, XTML_CALL, M3_INVOKE];

/** The marker of Phi and Firefunction before a list of calls. */
export const FUNCTOOLS = 'functools[';
/**
 * Returns the markers that count only at the beginning of a line, mapped to the tool's name if they contain it. The first two begin gpt-oss
 * calls without control tokens.
 */
export function lineStarts(names: readonly string[]): ReadonlyMap<string, string> {
  const general = ['assistantcommentary to=functions.', 'commentary to=functions.', FUNCTOOLS, QWEN_NAME].map(
    (mark) => [mark, ''] as const,
  );
  const forms = (name: string) => [
    ...[`${name}[ARGS]`, `${name}[CALL_ID]`, `${name}\n{`, `${name}\r\n{`, `>>>${name}`],
    ...[`Action: ${name}`, `Action: \`${name}\``, `**Action:** ${name}`],
  ];
  return new Map([...general, ...names.flatMap((name) => forms(name).map((mark) => [mark, name] as const))]);
}

/** Matches a gpt-oss call without control tokens, up to the arguments. */
export const STRIPPED = /(?:^|\n|assistant)commentary to=functions\.([\w.-]+) *(?:json|code)?\s*$/;

/** Returns tags named after the tools, a format introduced by Cline. Tags that are also another marker are excluded. */
export function toolTags(names: readonly string[]): ReadonlyMap<string, string> {
  const reserved = [...STARTS, ...CLOSERS, ...Object.keys({ ...THOUGHTS, ...QUOTES, ...BLOCK_QUOTES })];
  return new Map(names.map((name) => [`<${name}>`, name] as const).filter(([tag]) => !reserved.includes(tag)));
}

export const HARMONY: readonly string[] = ['<|channel|>', '<|start|>'];
export const HARMONY_ENDS: readonly string[] = ['<|end|>', '<|return|>', '<|call|>', '<|start|>', '<|channel|>'];

export const THOUGHTS: Readonly<Record<string, string>> = {
  '<think>': '</think>',
  '<thinking>': '</thinking>',
  '<thought>': '</thought>',
  '<seed:think>': '</seed:think>',
  '[THINK]': '[/THINK]',
  '<|START_THINKING|>': '<|END_THINKING|>',
  '<scratch_pad>': '</scratch_pad>',
  '<mm:think>': '</mm:think>',
  '<|channel>thought': '<channel|>',
  '<|open|>think<|sep|>': '<|close|>think<|sep|>',
};

/** Kimi K3 writes these markers around an answer; they are removed. */
export const ENVELOPES: readonly string[] = [
  '<|close|>think<|sep|>',
  '<|open|>response<|sep|>',
  '<|close|>response<|sep|>',
  '<|close|>message<|sep|>',
  '<|end_of_msg|>',
];

const regions = (...names: string[]) =>
  Object.fromEntries(names.flatMap((name) => ['>', ' '].map((end) => [`<${name}${end}`, `</${name}>`] as const)));

/** Regions whose text is never read as calls. They include results, because some models invent the result of a call. */
export const QUOTES: Readonly<Record<string, string>> = {
  '<!--': '-->',
  ...regions('pre', 'code', 'samp', 'example', 'examples', 'tool_response', 'tool_result', 'tool_results', 'function_results'),
  ...Object.fromEntries(deepseek('tool outputs begin').map((mark, index) => [mark, deepseek('tool outputs end')[index] as string])),
};

/** Regions like `QUOTES` whose opening tags count only at the beginning of a line. Within a sentence, the tags are ordinary text. */
export const BLOCK_QUOTES: Readonly<Record<string, string>> = regions(
  ...'file document blockquote details script style output stdout observation textarea'.split(' '),
);

/** Additional string delimiters in Gemma's calls. */
export const STRING_QUOTES: readonly string[] = ['<escape>', '<|"|>'];

/** Fence languages that only contain calls (`CALL_FENCES`), and languages in which a call may be written as data (`DATA_FENCES`). */
export const CALL_FENCES: ReadonlySet<string> = new Set(
  'tool_code tool_call tool_calls tool tools tool_use tool_request function_call function_calls function'.split(' '),
);
export const DATA_FENCES: ReadonlySet<string> = new Set(['', 'json', 'jsonc', 'json5']);

export const HARMONY_CLOSERS: readonly string[] = ['<|end|>', '<|return|>', '<|call|>'];

/** Markers that are recognized anywhere in a line. */
export const ANYWHERE: readonly string[] = [
  ...STARTS,
  ...HARMONY,
  ...Object.keys(THOUGHTS),
  ...Object.keys(QUOTES),
  ...HARMONY_CLOSERS,
  ...ENVELOPES,
  '</think>',
];
