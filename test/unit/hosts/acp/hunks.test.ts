import assert from 'node:assert/strict';
import { chooseHunks } from '../../../../src/hosts/acp/asking/hunks.ts';
import type { SessionClient } from '../../../../src/hosts/acp/client.ts';

describe('a form for hunks', () => {
  it('says where the text of a hunk is cut', async () => {
    const diff = `@@ -1 +1 @@\n-a\n+${'b'.repeat(1_000)}\n@@ -9 +9 @@\n-c\n+d`;
    const request = { title: 'Edit a.ts', callId: 'c', changes: [{ path: 'a.ts', kind: 'edit', added: 2, removed: 2, diff }] };
    const forms: unknown[] = [];
    const client = {
      fillIn: async (form: unknown) => {
        forms.push(form);
        return { action: 'decline' };
      },
    };
    const answer = await chooseHunks(client as unknown as SessionClient, request as never, new AbortController().signal);
    assert.deepEqual(answer, { approve: false });
    const form = forms[0] as { requestedSchema: { properties: Record<string, { description: string }> } };
    const [first, second] = Object.values(form.requestedSchema.properties).map(({ description }) => description);
    assert.match(first ?? '', /b\n… \d{3} more characters$/);
    assert.match(second ?? '', /\+d\s*$/);
  });
});
