/** Checks Git commands. Git can run other programs through its configuration, options, transports and editors. */
import type { CommandConcern } from '../../../core/session/rule-ids.ts';
import { asks, type Check, wordSet } from '../program-check.ts';
import { findOption, otherOption } from './options.ts';

/**
 * Options allowed before the subcommand. All others (`-c`, `-C`, `-p`, `--git-dir`, `--exec-path` …) select another configuration or a
 * pager.
 */
const HARMLESS = wordSet('--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects --no-lazy-fetch --no-advice');

const READS =
  wordSet(`status log diff show shortlog describe rev-parse rev-list ls-files ls-tree blame annotate cat-file for-each-ref show-ref
  merge-base name-rev diff-tree diff-index diff-files whatchanged grep count-objects check-ignore check-attr check-mailmap version cherry
  range-diff show-branch`);
const PLAIN = wordSet('add commit checkout switch branch tag merge pull fetch stash rebase revert cherry-pick init reflog reset remote');

const ALWAYS: Partial<Record<CommandConcern, string>> = {
  sends:
    'push send-email send-pack request-pull imap-send clone ls-remote daemon instaweb http-push http-fetch fetch-pack svn p4 cvsimport',
  deletes: 'clean rm restore gc prune prune-packed repack replace update-ref filter-branch filter-repo',
  'runs-other': `submodule bisect difftool mergetool mergetool--lib config gui gitk citool credential hook maintenance worktree help web--browse
    upload-pack receive-pack upload-archive shell http-backend sh-setup sh-i18n var bugreport diagnose remote-ext remote-fd fast-import
    fast-export am apply archive bundle sparse-checkout read-tree checkout-index format-patch update-index write-tree symbolic-ref notes mv lfs
    credential-cache credential-store merge-index merge-one-file interpret-trailers column commit-tree mktree scalar subtree flow annex`,
};
const RULE_OF = new Map(
  Object.entries(ALWAYS).flatMap(([rule, names]) => [...wordSet(names)].map((name) => [name, rule as CommandConcern] as const)),
);

/** Options that can run another program with any subcommand. */
const RUNS = `--ext-diff --textconv --exec --exec-path --upload-pack --receive-pack --open-files-in-pager --edit-description --filters --template
  --config --gpg-sign --extcmd --tool --tool-help --paginate --pager --trailer --no-index --git-dir --work-tree --interactive --edit
  --reference --separate-git-dir --strategy --strategy-option --server-option --verify-signatures --show-signature --signed --sign --local-user
  --file --pathspec-from-file --ignore-revs-file --contents`;
const WRITES = '--output --output-directory';
const LETTERS: Record<string, string> = {
  grep: '-O',
  rebase: '-x -i -s -X -S',
  commit: '-e -c -t -F -S -p',
  merge: '-s -X -S -e -F',
  pull: '-s -X -S -u -f -p',
  fetch: '-u -f -p -P',
  revert: '-e -S -s -X',
  'cherry-pick': '-e -S -s -X',
  tag: '-s -u -d -f -e -F -v',
  branch: '-d -D -m -M -c -C -f',
  add: '-i -p -e',
  reset: '-p',
  checkout: '-p -f',
  switch: '-f -C',
  show: '-O',
  log: '-O',
  diff: '-O',
};
const DISCARDS = wordSet(`reset:--hard reset:--merge reset:--keep checkout:-- checkout:. checkout:--force checkout:--ours checkout:--theirs
  checkout:--patch switch:--force switch:--discard-changes stash:drop stash:clear stash:pop stash:push:--all branch:--delete branch:--move branch:--force
  branch:--copy tag:--delete tag:--force reflog:expire reflog:delete remote:remove remote:rm remote:prune fetch:--force fetch:--prune pull:--force
  rebase:--force rebase:--root rebase:--abort rebase:--skip rebase:--quit
  rebase:--edit-todo merge:--abort merge:--quit cherry-pick:--abort cherry-pick:--skip cherry-pick:--quit revert:--abort revert:--skip revert:--quit
  commit:--amend switch:--orphan stash:branch stash:store stash:create reflog:drop reflog:write`);
/** Forms of listing subcommands that only read. With other operands, `git branch` and `git tag` create something. */
const LISTS: Record<string, { options: string; operands?: ReadonlySet<string> }> = {
  branch: { options: '-a -r -v -vv -l --all --remotes --list --verbose --show-current --no-color --column --no-column' },
  tag: { options: '-l -n --list --no-color --column --no-column --sort' },
  remote: { options: '-v --verbose' },
  stash: { options: '-p --stat', operands: wordSet('list show') },
  reflog: { options: '', operands: wordSet('show') },
};

export const checkGit: Check = (args) => {
  let at = 0;
  while (HARMLESS.has(args[at] ?? '')) at++;
  const [subcommand, ...rest] = args.slice(at);
  if (subcommand === undefined) return { reads: false };
  const argv = ['git', subcommand, ...rest];
  if (subcommand.startsWith('-')) {
    return subcommand === '--version' ? { reads: true } : asks('other-folder', `git ${subcommand}`);
  }
  if (subcommand === 'worktree' && rest[0] === 'list') return { argv, floor: 2, reads: true };
  const rule = RULE_OF.get(subcommand);
  if (rule) return { argv, ...asks(rule, `git ${subcommand}`) };
  const interactiveOption = subcommand === 'pull' ? rest.find((word) => /^(?:--rebase=|-r)i/.test(word)) : undefined;
  const programOption = interactiveOption ?? findOption(rest, RUNS) ?? findOption(rest, LETTERS[subcommand] ?? '');
  if (programOption !== undefined) return { argv, ...asks('runs-other', `git ${subcommand} ${programOption}`) };
  // To print who signed a commit, Git runs the program named in its configuration.
  const signed = READS.has(subcommand) ? rest.find((word) => /%G|%\(signature/.test(word)) : undefined;
  if (signed !== undefined) return { argv, ...asks('runs-other', `git ${subcommand} ${signed}`) };
  const output = findOption(rest, WRITES);
  if (output !== undefined) return { argv, ...asks('writes', `git ${subcommand} ${output}`) };
  const discard = rest.find((word) => DISCARDS.has(`${subcommand}:${word}`) || isCutShort(subcommand, word));
  if (discard !== undefined) return { argv, ...asks('deletes', `git ${subcommand} ${discard}`) };
  const isPlace = (word: string, at: number) => /::|:\/\/|^[^-].*[@:]|^[./~]/.test(word) || (at === 0 && /^[^-].*\//.test(word));
  if (/^(?:fetch|pull|remote)$/.test(subcommand) && rest.some(isPlace)) {
    return { argv, ...asks('sends', `git ${subcommand}`) };
  }
  if (subcommand === 'checkout' && !rest.includes('-b')) return { argv, ...asks('deletes', 'git checkout') };
  const getsAddress = subcommand === 'remote' && rest[0] === 'get-url' && otherOption(rest, '--push --all') === undefined;
  if (getsAddress) return { argv, floor: 2, reads: true };
  if (subcommand === 'remote' && rest.some((word) => !word.startsWith('-'))) return { argv, ...asks('runs-other', 'git remote') };
  // `git describe --dirty` is not read-only: it refreshes the index, which can run a hook.
  const refreshes = subcommand === 'describe' && rest.some((word) => /^--(?:d[^e]|br)/.test(word));
  const reads = (READS.has(subcommand) && !refreshes) || isList(subcommand, rest);
  return { argv, floor: READS.has(subcommand) || PLAIN.has(subcommand) ? 1 : 2, reads };
};

/** Returns true if the word is an abbreviation of an option that discards changes, such as `--har` for `--hard`. */
function isCutShort(subcommand: string, word: string): boolean {
  const [name = ''] = word.split('=');
  return name.length > 2 && name.startsWith('--') && [...DISCARDS].some((entry) => entry.startsWith(`${subcommand}:${name}`));
}

function isList(subcommand: string, rest: readonly string[]): boolean {
  const form = Object.hasOwn(LISTS, subcommand) ? LISTS[subcommand] : undefined;
  if (!form || otherOption(rest, form.options) !== undefined) return false;
  const operands = rest.filter((word) => !word.startsWith('-'));
  if (!form.operands) return operands.length === 0 || (subcommand !== 'remote' && rest.some((word) => word === '-l' || word === '--list'));
  return form.operands.has(operands[0] ?? (subcommand === 'reflog' ? 'show' : ''));
}
