// Provides the test of draught.test.ts, which always fails.
const vscode = require('vscode');

exports.activate = (context) => {
  const file = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, 'draught.test.ts');
  const controller = vscode.tests.createTestController('failing-test', 'Failing test');
  const test = controller.createTestItem('floats', 'floats', file);
  test.range = new vscode.Range(0, 0, 0, 5);
  controller.items.add(test);
  controller.createRunProfile('Run', vscode.TestRunProfileKind.Run, (request) => {
    const run = controller.createTestRun(request);
    const message = vscode.TestMessage.diff('The draught is too deep.', '3 metres', '4 metres');
    message.location = new vscode.Location(file, test.range);
    run.failed(test, message);
    run.end();
  });
  context.subscriptions.push(controller);
};
