// The model of another extension. It writes some text and reads a file, then answers, and records the messages that it received.
const vscode = require('vscode');

const information = {
  ...{ id: 'strict', name: 'Strict', family: 'strict', version: '1', maxInputTokens: 100_000, maxOutputTokens: 10_000 },
  capabilities: { toolCalling: true, imageInput: true },
};

exports.activate = (context) => {
  const received = [];
  const registration = vscode.lm.registerLanguageModelChatProvider('kedge-test', {
    provideLanguageModelChatInformation: async () => [information],
    async provideLanguageModelChatResponse(_model, messages, _options, progress) {
      if (received.push(messages) % 2 === 0) return progress.report(new vscode.LanguageModelTextPart('So says the editor.'));
      progress.report(new vscode.LanguageModelTextPart('I look.'));
      // Other services refuse this id, and they may have used the same one.
      const id = `functions.read_file:0 ${'long '.repeat(20)}`;
      progress.report(new vscode.LanguageModelToolCallPart(id, 'read_file', { path: 'src/größe.ts' }));
    },
    provideTokenCount: async (_model, text) => text.length,
  });
  context.subscriptions.push(registration);
  return { received };
};
