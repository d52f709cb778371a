import assert from 'node:assert/strict';
import { type EditorState, edit, emptyEditor, submitted, withText } from '../../../../../src/hosts/cli/chat/input/editor.ts';
import { rowsOf } from '../../../../../src/hosts/cli/chat/input/editor-rows.ts';

/** Presses keys one after another. A word in quotes is typed. */
function press(state: EditorState, ...keys: string[]): EditorState {
  return keys.reduce((now, key) => {
    const typed = /^"(.*)"$/s.exec(key)?.[1];
    if (typed === undefined) return edit(now, { name: key }) ?? now;
    return edit(now, { name: typed.length > 1 ? 'paste' : 'text', text: typed }) ?? now;
  }, state);
}

describe('the line editor of a conversation', () => {
  it('inserts and deletes characters, and moves by characters, words and lines', () => {
    assert.equal(press(emptyEditor(), '"tide level"', 'backspace').text, 'tide leve');
    assert.equal(press(emptyEditor(), '"tide level"', 'ctrl+left', '"high "').text, 'tide high level');
    assert.equal(press(emptyEditor(), '"tide level"', 'ctrl+a', 'delete').text, 'ide level');
    assert.equal(press(emptyEditor(), '"tide level"', 'ctrl+w', 'ctrl+y', 'ctrl+y').text, 'tide levellevel');
    assert.equal(press(emptyEditor(), '"tide level"', 'ctrl+left', 'ctrl+u').text, 'level');
    assert.equal(press(emptyEditor(), '"tide level"', 'ctrl+left', 'ctrl+k').text, 'tide ');
  });

  it('moves over and deletes a character of several code points as a whole', () => {
    const family = '👩‍👩‍👧';
    assert.equal(press(emptyEditor(), `"a${family}"`, 'backspace').text, 'a');
    assert.equal(press(emptyEditor(), `"a${family}"`, 'left', '"b"').text, `ab${family}`);
    assert.equal(press(emptyEditor(), '"é"', 'backspace').text, '');
  });

  it('takes several lines: Alt+Enter, Ctrl+J, a backslash before Enter, and a paste', () => {
    for (const key of ['alt+enter', 'ctrl+j']) assert.equal(press(emptyEditor(), '"a"', key, '"b"').text, 'a\nb');
    assert.equal(press(emptyEditor(), '"a\\"', 'enter', '"b"').text, 'a\nb');
    assert.equal(press(emptyEditor(), '"a\nb"').text, 'a\nb');
    assert.equal(edit(press(emptyEditor(), '"a"'), { name: 'enter' }), undefined);
    const moved = press(emptyEditor(), '"first\nsecond"', 'up', '"!"');
    assert.equal(moved.text, 'first!\nsecond');
    assert.equal(press(moved, 'down', '"!"').text, 'first!\nsecond!');
  });

  it('drops control characters from what is pasted', () => {
    assert.equal(press(emptyEditor(), '"a\u001b[31mb\u0007\u009b"').text, 'a[31mb');
  });

  it('recalls what was sent, and returns to the draft', () => {
    const history = emptyEditor(['first', 'second']);
    const draft = press(history, '"draft"');
    assert.equal(press(draft, 'up').text, 'second');
    assert.equal(press(draft, 'up', 'up', 'up').text, 'first');
    assert.equal(press(draft, 'up', 'up', 'down', 'down').text, 'draft');
  });

  it('searches in what was sent, and finds earlier entries with each Ctrl+R', () => {
    const history = emptyEditor(['fix the tide', 'ask', 'fix the gate']);
    const found = press(history, '"draft"', 'ctrl+r', '"fix"');
    assert.equal(found.text, 'fix the gate');
    assert.equal(press(found, 'ctrl+r').text, 'fix the tide');
    assert.equal(press(found, 'escape').text, 'draft');
    assert.equal(press(found, 'enter').search, undefined);
    assert.equal(press(found, 'enter').text, 'fix the gate');
  });

  it('keeps what was sent once in the history', () => {
    const sent = submitted(withText(emptyEditor(['ask']), 'ask'));
    assert.deepEqual([sent.text, sent.history], ['', ['ask']]);
    assert.deepEqual(submitted(withText(sent, 'more')).history, ['ask', 'more']);
  });

  it('shows the caret in the row and column where the next character appears', () => {
    assert.deepEqual(rowsOf('', 0, 20), { lines: ['› '], row: 0, column: 2 });
    assert.deepEqual(rowsOf('ab\ncd', 4, 20), { lines: ['› ab', '  cd'], row: 1, column: 3 });
    assert.deepEqual(rowsOf('abcdefgh', 8, 10), { lines: ['› abcdefgh', '  '], row: 1, column: 2 });
    assert.deepEqual(rowsOf('潮位', 1, 20), { lines: ['› 潮位'], row: 0, column: 4 });
    assert.deepEqual(rowsOf('a\u202eb', 2, 20), { lines: ['› a⟨U+202E⟩b'], row: 0, column: 11 });
  });

  it('shows the rows around the caret of a long text', () => {
    const text = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n');
    const { lines, row } = rowsOf(text, text.length, 20);
    assert.equal(lines.length, 8);
    assert.equal(lines[row], '  line 29');
  });
});
