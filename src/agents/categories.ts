/** The categories of Kedge's tools. */

/** `conversation` is not for files: these tools change nothing, and a run needs them to talk to the user and to follow a plan. */
export const CATEGORIES = ['read', 'search', 'edit', 'commands', 'web', 'documents', 'data', 'memory', 'agents', 'mcp'] as const;
export type Category = (typeof CATEGORIES)[number] | 'conversation';

export const CATEGORY_OF: Readonly<Record<string, Category>> = {
  __proto__: null as never,
  ask_user: 'conversation',
  propose_plan: 'conversation',
  update_step: 'conversation',
  recall: 'conversation',
  todo: 'conversation',
  read_file: 'read',
  list_directory: 'read',
  get_diagnostics: 'read',
  document_symbols: 'read',
  read_changes: 'read',
  calculate: 'data',
  summarize_columns: 'data',
  find_files: 'search',
  search_text: 'search',
  workspace_symbols: 'search',
  go_to_definition: 'search',
  find_references: 'search',
  create_file: 'edit',
  replace_in_file: 'edit',
  apply_patch: 'edit',
  create_directory: 'edit',
  move_file: 'edit',
  delete_file: 'edit',
  rename_symbol: 'edit',
  run_command: 'commands',
  command_output: 'commands',
  fetch_url: 'web',
  documents_list_collections: 'documents',
  documents_list_documents: 'documents',
  documents_search: 'documents',
  documents_get_document: 'documents',
  documents_get_outline: 'documents',
  documents_get_section: 'documents',
  remember: 'memory',
  delegate: 'agents',
};
