/** Renders events in VS Code's Chat as Markdown, progress lines, references and buttons. */

import * as vscode from 'vscode';
import type { Session } from '../../../app/session/session.ts';
import type { ModelRef } from '../../../core/model/messages.ts';
import { noteTexts } from '../../../core/model/notes.ts';
import type { Plan } from '../../../core/plan/plan.ts';
import { isChildRun } from '../../../core/session/children/child-ids.ts';
import { isElsewhere } from '../../../core/session/children/child-state.ts';
import { type AgentEvent, isDurable, type QuestionAnswer } from '../../../core/session/events.ts';
import { brokeOff } from '../../../core/session/reduce.ts';
import type { ApprovalRequest, AskedQuestion } from '../../../core/session/session-state.ts';
import { rulesIn, rulesText } from '../../../core/view/read-rules.ts';
import { proofOf, receiptLine } from '../../../core/view/receipt.ts';
import { follow } from '../../../core/view/reduce-run.ts';
import { nextStepText, type RunView } from '../../../core/view/run-view.ts';
import { readLastRun } from '../../../core/view/session-view.ts';
import { moreText, reachedText } from '../../../core/words/budget-text.ts';
import { COMPACTING } from '../../../core/words/context-text.ts';
import { codeSpan, fence } from '../../../core/words/markdown-code.ts';
import { planEventText } from '../../../core/words/plan-text.ts';
import { waitingText } from '../../../core/words/retry-text.ts';
import { visibleLine, visibleText } from '../../../core/words/visible-text.ts';
import { REMEDY, type Remedy } from '../../../protocol/remedy.ts';
import { modelText } from '../../../providers/catalog.ts';
import { PathError, parsePath } from '../../../workspace/paths.ts';
import type { Kedge } from '../kedge.ts';
import { PlaceFinder } from '../languages/place-finder.ts';
import { modelName } from '../models/model-label.ts';
import { showAnswer, showApproval } from './chat-approval.ts';
import { asideMarkdown, GREETING, plain, planMarkdown, questionMarkdown } from './chat-markdown.ts';

const STEP_SIGN = { started: '▸', done: '✓', failed: '✗', skipped: '–' } as const;

/** The command of each remedy. In the Chat, a new session is a new chat thread. */
const COMMAND: Record<Remedy, string> = {
  connect_model: 'kedge.connectModel',
  pick_model: 'kedge.pickModel',
  new_session: 'workbench.action.chat.newChat',
};

/** The events of child runs that are shown: their steps, and what the user is asked. */
const OF_CHILDREN = /^(tool_started|model_waiting|approval_|question_|file_changed)/;

export class ChatRenderer {
  readonly #kedge: Pick<Kedge, 'fs'>;
  readonly #session: Session;
  readonly #stream: vscode.ChatResponseStream;
  readonly #collections: ReadonlySet<string>;
  /** The configured model, if Offline answered instead. It is suggested at the end, because the Chat collapses everything above a run's steps. */
  offered: ModelRef | undefined;
  /** The run that is shown, reduced from its durable events. */
  #run: RunView | undefined;
  readonly #referenced = new Set<string>();
  #streamedText = '';
  readonly #prose = new PlaceFinder(
    (text) => this.#stream.markdown(markdown(text)),
    (path, place, text) => this.#place(path, place, text),
  );

  /** @param collections the names of the collections of documents */
  constructor(kedge: Pick<Kedge, 'fs'>, session: Session, stream: vscode.ChatResponseStream, collections: ReadonlySet<string> = new Set()) {
    this.#collections = collections;
    this.#kedge = kedge;
    this.#session = session;
    this.#stream = stream;
    this.#run = readLastRun(session.events);
  }

  event(event: AgentEvent): void {
    const stream = this.#stream;
    if (isDurable(event)) this.#run = follow(this.#run, event);
    if (isChildRun(event.runId) && !OF_CHILDREN.test(event.type)) return;
    switch (event.type) {
      case 'run_started':
        stream.progress(`Using ${plain(modelName(event.model))}`);
        break;
      case 'run_resumed':
        // The run still waits for the approvals and questions that were open when it paused, but no new events request them.
        for (const pending of this.#session.state.pendingApprovals.values()) this.approval(pending);
        for (const question of this.#session.state.pendingQuestions.values()) this.question(question);
        break;
      case 'text_delta':
        this.#streamedText += event.text;
        this.#prose.write(event.text);
        break;
      case 'model_waiting':
        stream.progress(waitingText(event, event.waitMs));
        stream.button({ command: 'kedge.retryNow', title: 'Try now', arguments: [this.#session.id] });
        break;
      case 'message_added':
        // Text before tool calls becomes a separate paragraph.
        this.#prose.end();
        if (this.#streamedText) stream.markdown('\n\n');
        this.#streamedText = '';
        this.#rules(event);
        for (const text of noteTexts(event.message)) stream.markdown(`*Note to the model: ${plain(text)}*\n\n`);
        break;
      case 'tool_finished':
        this.#rules(event);
        break;
      case 'tool_started':
        if (event.name !== 'update_step') stream.progress(plain(event.title));
        for (const { path, access } of event.targets) if (access === 'read' && event.name === 'read_file') this.#reference(path);
        break;
      case 'approval_requested':
        this.approval(event);
        break;
      case 'question_asked':
        this.question(event);
        break;
      case 'question_answered': {
        const { answer } = event;
        const by = 'by' in answer ? '' : '*You:* ';
        stream.markdown(`${by}${plain('option' in answer ? answer.option : answer.words)}\n\n`);
        break;
      }
      case 'approval_resolved':
        showAnswer(stream, event);
        break;
      case 'file_changed':
        for (const { path, kind, added, removed } of isElsewhere(this.#session.state, event.runId) ? [] : event.changes) {
          stream.markdown(`\`${kind}\` `);
          this.#anchor(path, kind === 'delete');
          stream.markdown(added || removed ? ` +${added} −${removed}\n\n` : '\n\n');
        }
        break;
      case 'plan_step': {
        const step = this.#run?.plan?.steps[event.step - 1];
        const details = [event.unchanged && 'no files changed', event.note && plain(event.note)].filter(Boolean);
        const note = details.length > 0 ? ` (${details.join('; ')})` : '';
        stream.markdown(`${STEP_SIGN[event.status]} **Step ${event.step}** ${plain(step?.title ?? '')}${note}\n\n`);
        break;
      }
      case 'plan_revised':
        stream.markdown(`${plain(planEventText(event))}\n\n`);
        break;
      case 'step_checked':
      case 'plan_checked':
      case 'step_rolled_back': {
        const [line = '', ...output] = planEventText(event).split('\n');
        stream.markdown(`${plain(line)}\n\n${output.length > 0 ? `${fence(output.join('\n'), 'text')}\n\n` : ''}`);
        break;
      }
      case 'context_compacting':
        stream.progress(COMPACTING);
        break;
      case 'todo_changed':
      case 'context_compacted':
      case 'limits_shrunk':
      case 'hook_ran':
        stream.markdown(asideMarkdown(event));
        break;
      case 'run_paused': {
        const { limit, plan } = this.#run ?? {};
        const next = event.reason === 'user' && this.#run ? `Next: ${plain(nextStepText(this.#run))}. ` : '';
        stream.markdown(`**Paused.** ${limit ? `${plain(reachedText(limit))} ` : ''}${next}${visibleText(event.summary)}\n\n`);
        stream.button({ command: 'kedge.chat.continue', title: limit ? moreText(limit.limit) : 'Continue' });
        if (event.reason === 'edit_plan' && plan)
          stream.button({ command: 'kedge.editPlan', title: 'Edit plan', arguments: [this.#session.id, plan.id] });
        break;
      }
    }
  }

  approval(request: ApprovalRequest): void {
    showApproval(this.#stream, this.#session.id, request);
  }

  /**
   * Shows a question with buttons for its options and for an answer in the user's own words. After a reload, the next message answers it.
   */
  question({ questionId, question }: AskedQuestion): void {
    const stream = this.#stream;
    const { options, freeText } = question;
    for (const part of questionMarkdown(question)) stream.markdown(part);
    const id = [this.#session.id, questionId];
    for (const { label } of options)
      stream.button({
        command: 'kedge.answerQuestion',
        title: visibleLine(label),
        arguments: [...id, { option: label } satisfies QuestionAnswer],
      });
    if (freeText || options.length === 0)
      stream.button({ command: 'kedge.answerInWords', title: options.length > 0 ? 'Other answer…' : 'Answer…', arguments: id });
  }

  /** Shows how the run ended, and the actions that are now available. */
  ended(end: Extract<AgentEvent, { type: 'run_finished' | 'run_paused' }>): void {
    const stream = this.#stream;
    if (end.type === 'run_finished' && end.outcome === 'stopped') stream.markdown('*Stopped.*\n\n');
    if (end.type === 'run_finished' && end.outcome === 'refused') stream.markdown('*The model declined to answer.*\n\n');
    if (end.type === 'run_finished' && end.outcome === 'failed') {
      const remedy = end.error && REMEDY[end.error.kind];
      if (remedy) stream.button({ command: COMMAND[remedy.action], title: remedy.label });
      stream.button({ command: 'kedge.chat.continue', title: brokeOff(this.#session.state) ? 'Continue' : 'Try again' });
    }
    if (end.type === 'run_finished' && end.receipt && end.receipt.calls > 0) {
      const proof = proofOf(end.receipt);
      stream.markdown(`\n\n*${plain(receiptLine(end.receipt))}${proof ? `. ${plain(proof)}` : ''}*\n\n`);
    }
    if (this.offered) this.#offer(this.offered);
    // The proposed plan is shown last, because the Chat collapses everything above the content that follows a button.
    if (this.#run?.proposal) this.#showPlan(this.#run.proposal.plan);
    if (this.#session.state.runs.get(end.runId)?.changed) {
      stream.button({ command: 'kedge.reviewRun', title: 'Review changes', arguments: [this.#session.id, end.runId] });
      stream.button({ command: 'kedge.undoRun', title: 'Undo run', arguments: [this.#session.id, end.runId] });
    }
  }

  /** VS Code keeps Offline selected after a model was connected. The connected model answers only after the user clicks the button. */
  #offer(model: ModelRef): void {
    const name = modelText(model);
    this.#stream.markdown(
      `*Offline answered because it is selected in the Chat. It is not a language model. Your settings use ${plain(name)}.*\n\n`,
    );
    this.#stream.button({ command: 'kedge.chat.answerWith', title: `Answer with ${visibleLine(modelName(model))}`, arguments: [name] });
  }

  /** Lists the references that were not sent. */
  notSent(text: string): void {
    this.#stream.markdown(`${plain(text)}\n\n`);
  }

  greet(): void {
    this.#stream.markdown(GREETING);
  }

  noFolder(): void {
    this.say('No folder is open, so there are no files to read.');
    this.#stream.button({ command: 'workbench.action.files.openFolder', title: 'Open Folder' });
  }

  #showPlan(plan: Plan): void {
    const stream = this.#stream;
    stream.markdown(planMarkdown(plan));
    stream.button({ command: 'kedge.chat.runPlan', title: 'Run plan' });
    stream.button({ command: 'kedge.editPlan', title: 'Edit plan', arguments: [this.#session.id, plan.id] });
    stream.button({ command: 'kedge.discardPlan', title: 'Discard plan', arguments: [this.#session.id, plan.id] });
  }

  #uri(path: string): vscode.Uri | undefined {
    const { fs } = this.#kedge;
    try {
      return fs.uri(parsePath(path, fs.folders));
    } catch (error) {
      if (error instanceof PathError) return undefined;
      throw error;
    }
  }

  /** Shows a sentence that is from Kedge and not from the model. */
  say(text: string): void {
    this.#stream.markdown(plain(text));
  }

  /** Shows the text of a prompt file as it is sent. */
  sent(text: string): void {
    this.#stream.markdown(`${fence(text, '')}\n\n`);
  }

  /** Lists the rules files that were added to the conversation. */
  #rules(event: AgentEvent): void {
    const rules = rulesText(rulesIn(event));
    if (rules) this.#stream.markdown(`*${plain(rules)}*\n\n`);
  }

  #reference(path: string): void {
    const uri = this.#referenced.has(path) ? undefined : this.#uri(path);
    if (uri) this.#stream.reference(uri);
    this.#referenced.add(path);
  }

  /** Renders `path:12` as a link that opens the file or document at that line. A path outside the workspace remains plain text. */
  #place(path: string, place: string, text: string): void {
    if (this.#collections.has(path.slice(0, path.indexOf('/')))) {
      const link = new vscode.MarkdownString(`[${plain(text)}](command:kedge.openSource?${encodeURIComponent(JSON.stringify([text]))})`);
      link.isTrusted = { enabledCommands: ['kedge.openSource'] };
      this.#stream.markdown(link);
      return;
    }
    const line = Number(place);
    const uri = line > 0 ? this.#uri(path) : undefined;
    if (uri) this.#stream.anchor(new vscode.Location(uri, new vscode.Position(line - 1, 0)), text);
    else this.#stream.markdown(text);
  }

  #anchor(path: string, isDeleted: boolean): void {
    const uri = isDeleted ? undefined : this.#uri(path);
    if (uri) this.#stream.anchor(uri, visibleLine(path));
    else this.#stream.markdown(codeSpan(visibleLine(path)));
  }
}

/** Allows only one command link in a model's text: the link to connect a model, which the Offline model uses. */
function markdown(text: string): vscode.MarkdownString {
  const content = new vscode.MarkdownString(text);
  content.isTrusted = { enabledCommands: ['kedge.connectModel'] };
  return content;
}
