/** Collects the rows of one HTML table. The cells of tables inside it become text of the cell around them. */
export class TableRows {
  readonly rows: string[][] = [];
  #row: string[] | undefined;
  #cell: string[] | undefined;
  #depth = 1;

  /** @param before the text between the previous tag and this one */
  open(tag: string, before: string): void {
    this.#take(before);
    if (tag === 'table') this.#depth++;
    else if (this.#depth > 1) return;
    else if (tag === 'tr') this.#endRow();
    else {
      this.#endCell();
      this.#cell = [];
    }
  }

  /** Returns true if the table ends. */
  close(tag: string, before: string): boolean {
    this.#take(before);
    if (tag === 'table' && --this.#depth === 0) {
      this.#endRow();
      return true;
    }
    if (this.#depth > 1) return false;
    if (tag === 'tr') this.#endRow();
    else if (tag !== 'table') this.#endCell();
    return false;
  }

  #take(text: string): void {
    if (text === '') return;
    // Text outside of cells, such as the caption, gets a row of its own.
    if (this.#cell) this.#cell.push(text);
    else this.rows.push([text]);
  }

  #endCell(): void {
    if (!this.#cell) return;
    this.#row ??= [];
    this.#row.push(this.#cell.join(' '));
    this.#cell = undefined;
  }

  #endRow(): void {
    this.#endCell();
    if (this.#row) this.rows.push(this.#row);
    this.#row = undefined;
  }
}
