import assert from 'node:assert/strict';
import { clientConformance, LEFT_OUT, problemsOf, serverConformance } from '../../../scripts/conformance.ts';
import { needsProgram } from '../../support/program.ts';

describe('the conformance suite of the Model Context Protocol', () => {
  needsProgram();

  it('passes, except for what Kedge leaves out', async function () {
    this.timeout(300_000);
    const client = await clientConformance();
    const server = await serverConformance();
    assert.deepEqual(problemsOf(client, server), [], client.output + server.output);
    assert.equal(client.passed.length, 26 - Object.keys(LEFT_OUT).length);
    assert.equal(server.passed.length, 4);
  });
});
