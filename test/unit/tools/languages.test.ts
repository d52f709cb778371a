import assert from 'node:assert/strict';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { toolsFor } from '../../../src/tools/index.ts';
import { answerOf, columnOf } from '../../../src/tools/languages/requests.ts';
import type { LanguageServices } from '../../../src/workspace/languages.ts';
import { applyEdits } from '../../../src/workspace/text-edits.ts';
import { Workspace } from '../../../src/workspace/workspace.ts';
import type { Files } from '../../support/harness.ts';
import { wordServices } from '../../support/languages.ts';
import { toolsOn } from '../../support/tools.ts';

const files: Files = {
  'a.word': 'def ship\n  def mast\ncall ship and ship\n',
  'b.word': 'ship\nship !warning rusty ship\nshipyard !error no yard\n',
};
const withWords = (over: Partial<LanguageServices> = {}) => ({ languages: (fs: Workspace['fs']) => wordServices(fs, over) });
const place = { path: 'a.word', line: 3, symbol: 'ship' };
const NAMES = ['get_diagnostics', 'document_symbols', 'workspace_symbols', 'go_to_definition', 'find_references', 'rename_symbol'];

describe('the language service tools', () => {
  it('exist when the host has language services, and cost few tokens', async () => {
    await using disk = await toolsOn({});
    const workspace = new Workspace(disk.fs);
    const named = (tools: { name: string }[]) => tools.map(({ name }) => name).filter((name) => NAMES.includes(name));
    assert.deepEqual(named(toolsFor(workspace, { mode: 'ask' })), []);
    const services = wordServices(disk.fs);
    assert.deepEqual(named(toolsFor(workspace, { mode: 'ask' }, services)), NAMES.slice(0, 5));
    assert.deepEqual(named(toolsFor(workspace, { mode: 'plan', newId: () => 'x' }, services)), NAMES.slice(0, 5));
    await using other = await toolsOn({}, withWords());
    const all = NAMES.map((name) => other.tool(name));
    const specs = all.map(({ name, description, inputSchema }) => ({ type: 'function', name, description, parameters: inputSchema }));
    assert.ok(countTokens(JSON.stringify(specs)) <= 350, `${countTokens(JSON.stringify(specs))} tokens`);
  });

  it('return errors and warnings of one file or of all', async () => {
    await using disk = await toolsOn(files, withWords());
    const all = 'b.word\n  2: warning: rusty ship\n  3: error: no yard';
    assert.equal(await disk.use('get_diagnostics', { path: 'b.word' }), all);
    assert.equal(await disk.use('get_diagnostics', {}), all);
    assert.equal(await disk.use('get_diagnostics', { path: 'a.word' }), 'No errors or warnings in a.word.');
    assert.equal(await disk.use('get_diagnostics', { path: 'c.word' }), 'ERROR There is no file c.word. Use find_files to look for it.');
    await using many = await toolsOn({ 'm.word': `${'!warning small\n'.repeat(150)}!error great\n` }, withWords());
    const lines = (await many.use('get_diagnostics', {})).split('\n');
    assert.equal(lines.length, 1 + 100 + 2);
    assert.equal(lines[100], '  151: error: great', 'errors come first where not all are shown');
    assert.equal(lines.at(-1), '[51 more errors and warnings]');
  });

  it('return outlines, symbols, definitions and references, grouped by file with their lines', async () => {
    await using disk = await toolsOn(files, withWords());
    assert.equal(await disk.use('document_symbols', { path: 'a.word' }), '1: function ship\n  2: function mast');
    assert.equal(await disk.use('document_symbols', { path: 'b.word' }), 'No symbols are known in b.word. Use read_file.');
    assert.equal(
      await disk.use('workspace_symbols', { query: 'Ship' }),
      'a.word\n  1: class Port.Ship\n\noutside the workspace: lib/words.word\n  3: function Ship2',
    );
    assert.equal(await disk.use('go_to_definition', place), 'a.word\n  1: def ship');
    assert.equal(
      await disk.use('find_references', place),
      'a.word\n  1: def ship\n  3: call ship and ship\n  3: call ship and ship\n\nb.word\n  1: ship\n  2: ship !warning rusty ship\n  2: ship !warning rusty ship',
    );
  });

  it('list the names of a line that does not contain the symbol', async () => {
    await using disk = await toolsOn(files, withWords());
    assert.equal(
      await disk.use('go_to_definition', { ...place, symbol: 'mast' }),
      'ERROR mast is not on line 3 of a.word, which has call, ship, and. mast is at line 2.',
    );
    assert.equal(await disk.use('find_references', { ...place, line: 9 }), 'ERROR a.word has only 4 lines. Use a smaller line number.');
    const lines = ['  this.#queue.run(shipyard, ship)', 'größe = $ship'];
    assert.equal(columnOf(lines, 1, 'ship', 'x'), 28);
    assert.equal(columnOf(lines, 1, '#queue', 'x'), 7);
    assert.equal(columnOf(lines, 1, 'queue.run', 'x'), 14);
    assert.equal(columnOf(lines, 1, 'Yard.shipyard', 'x'), 18, 'of a dotted name the last part');
    assert.equal(columnOf(lines, 2, 'größe', 'x'), 0);
    assert.throws(() => columnOf(lines, 2, 'ship', 'x'), /ship is not on line 2 of x, which has größe, \$ship\. ship is at line 1\./);
  });

  it('show nothing of what .kedgeignore hides', async () => {
    await using disk = await toolsOn({ ...files, '.kedgeignore': 'b.word\n' }, withWords());
    assert.doesNotMatch(await disk.use('find_references', place), /b\.word/);
    assert.equal(await disk.use('get_diagnostics', {}), 'No errors or warnings are known.');
    const before = await disk.snapshot();
    assert.equal(
      await disk.use('rename_symbol', { ...place, new_name: 'boat' }),
      'ERROR ship is also used in files that must not be changed. Nothing was changed. Ask the user to rename the symbol.',
    );
    assert.deepEqual(await disk.snapshot(), before);
  });

  it('fail with a readable message when a service fails or times out, and immediately when the run is stopped', async () => {
    const never = new Promise<never>(() => undefined);
    await using disk = await toolsOn(
      files,
      withWords({
        definition: async () => {
          throw new Error('server crashed');
        },
      }),
    );
    assert.equal(await disk.use('go_to_definition', place), 'ERROR The language service failed: server crashed. Use search_text instead.');
    const running = new AbortController();
    await assert.rejects(
      answerOf(() => never, running.signal, 20),
      /did not answer within 0\.02 seconds\. Use search_text instead\./,
    );
    const stopped = answerOf(() => never, running.signal);
    running.abort(new Error('stopped'));
    await assert.rejects(stopped, /^Error: stopped/);
  });
});

describe('rename_symbol', () => {
  const files = { 'a.word': 'def ship\n  def mast\ncall ship and ship\n', 'b.word': 'ship\nrusty ship and ship\nshipyard\n' };

  it('is one change over all files, shown before it is applied', async () => {
    await using disk = await toolsOn(files, withWords());
    const { signal } = new AbortController();
    const before = await disk.snapshot();
    const prepared = await disk.tool('rename_symbol').prepare({ ...place, new_name: 'boat' }, signal);
    assert.deepEqual(await disk.snapshot(), before, 'nothing has changed yet');
    assert.deepEqual(
      prepared.changes?.map(({ path, added }) => [path, added]),
      [
        ['a.word', 2],
        ['b.word', 2],
      ],
    );
    assert.equal(await disk.use('rename_symbol', { ...place, new_name: 'boat' }), 'Renamed ship to boat: 6 places in 2 files.');
    assert.equal(await disk.read('a.word'), 'def boat\n  def mast\ncall boat and boat\n');
    assert.equal(await disk.read('b.word'), 'boat\nrusty boat and boat\nshipyard\n');
  });

  it('moves files where the service says so', async () => {
    const effect = {
      edits: [{ at: { folder: 0, path: 'a.word' }, edits: [{ from: { line: 1, column: 4 }, to: { line: 1, column: 8 }, text: 'boat' }] }],
      moves: [{ from: { folder: 0, path: 'a.word' }, to: { folder: 0, path: 'boats/boat.word' } }],
      strange: [],
    };
    await using disk = await toolsOn(files, withWords({ rename: async () => effect }));
    assert.equal(
      await disk.use('rename_symbol', { ...place, new_name: 'boat' }),
      'Renamed ship to boat: 1 place in 1 file; a.word is now boats/boat.word.',
    );
    assert.equal(await disk.read('boats/boat.word'), 'def boat\n  def mast\ncall ship and ship\n');
    await assert.rejects(disk.read('a.word'));
  });

  it('changes nothing when it would affect files outside the workspace, or when no service can rename', async () => {
    const strange = { edits: [], moves: [], strange: ['…/lib/lib.d.ts'] };
    await using disk = await toolsOn(files, withWords({ rename: async () => strange }));
    assert.match(
      await disk.use('rename_symbol', { ...place, new_name: 'x' }),
      /^ERROR The rename would change files outside the workspace/,
    );
    await using other = await toolsOn(files, withWords({ rename: async () => undefined }));
    assert.match(await other.use('rename_symbol', { ...place, new_name: 'x' }), /^ERROR The language service cannot rename ship/);
  });

  it('applies edits at the right places for all line endings', () => {
    const edit = (line: number, column: number, length: number, text: string) => ({
      from: { line, column },
      to: { line, column: column + length },
      text,
    });
    assert.equal(applyEdits('\uFEFFab\r\ncd\ref\n', [edit(3, 0, 1, 'E'), edit(1, 0, 1, 'A'), edit(2, 2, 0, '!')]), '\uFEFFAb\r\ncd!\rEf\n');
    assert.throws(() => applyEdits('ab\n', [edit(1, 0, 2, 'x'), edit(1, 1, 1, 'y')]), /overlap/);
    assert.throws(() => applyEdits('ab\n', [edit(5, 0, 1, 'x')]), /edits for another version/);
  });
});

describe('the result of an edit', () => {
  const edit = (old_text: string, new_text: string) => ({ path: 'b.word', edits: [{ old_text, new_text }] });

  it('contains the errors and warnings that are new', async () => {
    await using disk = await toolsOn(files, withWords());
    assert.equal(
      await disk.use('replace_in_file', edit('ship\nship !', '!error sunk\nnew line\nship !')),
      'Replaced 1 passage in b.word.\nNew problems since this change:\nb.word:1 error: sunk',
      'what only moved to another line is not new',
    );
    assert.equal(await disk.use('replace_in_file', edit('new line\n', '')), 'Replaced 1 passage in b.word.');
    assert.equal(
      await disk.use('create_file', { path: 'c.word', content: '!warning new\n' }),
      'Created c.word with 1 line.\nNew problems since this change:\nc.word:1 warning: new',
    );
    assert.equal(await disk.use('move_file', { from: 'c.word', to: 'd.word' }), 'Moved c.word to d.word.');
    assert.equal(await disk.use('delete_file', { path: 'd.word' }), 'Deleted d.word.');
  });

  it('counts equal problems: a second one is new', async () => {
    await using disk = await toolsOn(files, withWords());
    assert.equal(
      await disk.use('replace_in_file', edit('shipyard !error no yard', 'shipyard !error no yard\nshipyard !error no yard')),
      'Replaced 1 passage in b.word.\nNew problems since this change:\nb.word:4 error: no yard',
    );
  });

  it('contains at most ten of them, errors first, and covers at most twenty files', async () => {
    const services: ReturnType<typeof wordServices>[] = [];
    const languages = (fs: Workspace['fs']) => {
      const made = wordServices(fs);
      services.push(made);
      return made;
    };
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${10 + index}.word`, 'old\n']));
    await using disk = await toolsOn(many, { languages, model: 'gpt-x' });
    const sections = Object.keys(many).map(
      (path, index) => `*** Update File: ${path}\n@@\n-old\n+!${index === 15 ? 'error' : 'warning'} w${index}\n`,
    );
    const told = (await disk.use('apply_patch', { input: `*** Begin Patch\n${sections.join('')}*** End Patch` })).split('\n').slice(30);
    assert.equal(told.length, 1 + 10 + 1);
    assert.equal(told[1], 'f25.word:1 error: w15');
    assert.equal(told.at(-1), '[10 more problems]');
    const after = services[0]?.asked.find((each) => each.startsWith('after')) ?? '';
    assert.equal(after.split(',').length, 20);
    assert.equal(services[0]?.asked.at(-1), 'end');
  });

  it('is unchanged when the services fail', async () => {
    const fail = async () => {
      throw new Error('no');
    };
    await using disk = await toolsOn(files, withWords({ watch: fail }));
    assert.equal(await disk.use('replace_in_file', edit('shipyard', 'yard')), 'Replaced 1 passage in b.word.');
    const broken = withWords({ watch: async () => ({ files: [], before: [], after: fail, end: () => undefined }) });
    await using other = await toolsOn(files, broken);
    assert.equal(await other.use('create_file', { path: 'n.word', content: '!error x' }), 'Created n.word with 1 line.');
  });

  it('omits them for a file that could not be checked before', async () => {
    const watch: LanguageServices['watch'] = async (places) => ({
      files: [],
      before: [],
      after: async () => places.map((at) => ({ at, line: 1, severity: 'error', message: 'may be old' })),
      end: () => undefined,
    });
    await using disk = await toolsOn(files, withWords({ watch }));
    assert.equal(await disk.use('replace_in_file', edit('shipyard', 'yard')), 'Replaced 1 passage in b.word.');
  });
});
