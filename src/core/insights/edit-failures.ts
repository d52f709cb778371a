/** Determines from the tool results why edits failed. A test makes every tool fail in each of these ways. */

/**
 * `arguments`: the arguments of the call are invalid. `not_found`, `ambiguous`: the passage to replace is not in the file, or occurs several times.
 * `no_change`: the edit changes nothing, or was applied before. `omitted`: the new text contains a placeholder for code. `no_file`, `exists`:
 * the file does not exist, or exists already. `changed`: the file has changed since it was read. `denied`: a rule or the mode denied the
 * call. `rejected`: the user rejected it.
 */
export type EditFailure =
  | 'arguments'
  | 'not_found'
  | 'ambiguous'
  | 'no_change'
  | 'omitted'
  | 'no_file'
  | 'exists'
  | 'changed'
  | 'denied'
  | 'rejected'
  | 'other';

export const EDIT_TOOLS: ReadonlySet<string> = new Set([
  'replace_in_file',
  'apply_patch',
  'create_file',
  'create_directory',
  'delete_file',
  'move_file',
  'rename_symbol',
]);

const KINDS: readonly (readonly [EditFailure, RegExp])[] = [
  ['arguments', /^The arguments |^The patch (cannot be read|does not begin|is a single line)|^"\*\*\* End Patch/],
  ['omitted', /omits code: the placeholder/],
  ['changed', /after this change was prepared|no longer leads to the same place|differs from the change that the user approved/],
  ['no_change', /changes? nothing|already applied/],
  ['ambiguous', /occurs (more than )?[\d,.]+ times|is ambiguous/],
  ['not_found', /(?: is not in .*\.)/],
  ['no_file', /^There is no (file|directory)/],
  ['exists', /already exists|is a directory\. Add/],
];

/** @param text the first line of the result */
export function editFailureOf(text: string): EditFailure {
  return KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other';
}
