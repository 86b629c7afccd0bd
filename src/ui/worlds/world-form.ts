import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Beginning } from '../../api.ts';
import { zipAddress } from '../model/beginnings.ts';
import { formatBytes } from '../model/format.ts';
import type { Session } from '../model/session.ts';
import { nameFromFile, nameOfCopy, nameProblem } from '../model/world-name.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import '../parts/name-form.ts';

const { worlds: texts } = strings;

/** What a name is asked for. */
export type Form = { kind: 'create' } | { kind: 'import'; file: File } | { kind: 'rename' | 'duplicate'; name: string };

/** The answer. `begin`: of what a new world is to be made. */
export interface Named {
  name: string;
  begin?: Beginning;
}

/** What a new world can be made of. */
type Content = 'playground' | 'empty' | 'address';
const CONTENTS: Content[] = ['playground', 'empty', 'address'];

/** Asks under which name a world is made, imported, copied, or goes on. Fires `named`, or `cancel`. */
@customElement('sausage-world-form')
export class WorldForm extends LitElement {
  @property({ attribute: false }) form!: Form;
  @property({ attribute: false }) session!: Session;
  @state() private content: Content = 'playground';
  @state() private address = '';

  static override styles = [
    base,
    css`
      fieldset {
        display: grid;
        gap: 0.25rem;
        margin: 0.25rem 0;
        padding: 0;
        border: 0;
      }
      legend {
        padding: 0;
      }
      label {
        display: flex;
        align-items: center;
        gap: 0.5rem;
        min-height: 1.75rem;
      }
      [type='radio'] {
        width: auto;
        min-height: 0;
        margin: 0;
        accent-color: var(--accent);
      }
    `,
  ];

  override render() {
    const { heading, about = '', action, suggestion = '' } = this.formTexts(this.form);
    return html`<sausage-name-form
      heading=${heading}
      text=${about}
      action=${action}
      suggestion=${suggestion}
      .check=${(name: string) => this.check(this.form, name)}
      @name=${({ detail: name }: CustomEvent<string>) => this.answer(name)}
      @cancel=${() => this.dispatchEvent(new Event('cancel'))}
    >${this.form.kind === 'create' ? this.renderContent() : nothing}</sausage-name-form>`;
  }

  private formTexts(form: Form): { heading: string; about?: string; action: string; suggestion?: string } {
    switch (form.kind) {
      case 'create':
        return { heading: texts.new, action: texts.create };
      case 'import': {
        const { name, size } = form.file;
        const about = `${texts.importText(name, formatBytes(size))} ${texts.importServices}`;
        return {
          ...{ heading: texts.importTitle, about, action: texts.import },
          suggestion: nameFromFile(name, this.names),
        };
      }
      case 'rename': {
        const open = form.name === this.session.name && this.session.world !== undefined;
        return {
          ...{ heading: texts.renameTitle(form.name), action: texts.rename, suggestion: form.name },
          ...(open && { about: texts.renameOpen }),
        };
      }
      case 'duplicate':
        return {
          ...{ heading: texts.duplicateTitle(form.name), about: strings.busy.copyText, action: texts.duplicate },
          suggestion: nameOfCopy(form.name, this.names),
        };
    }
  }

  /** What the new world is made of. */
  private renderContent() {
    const { content } = this;
    return html`<fieldset>
      <legend class="small">${texts.content}</legend>
      ${CONTENTS.map(
        (each) => html`<label class="small"><input
          type="radio"
          name="content"
          .checked=${each === content}
          @change=${() => (this.content = each)}
        />${texts.contents[each]}</label>`,
      )}
      ${
        content === 'address'
          ? html`<input
            type="url"
            aria-label=${texts.address}
            placeholder=${texts.addressExample}
            .value=${this.address}
            @input=${(event: InputEvent) => (this.address = (event.target as HTMLInputElement).value)}
          />`
          : nothing
      }
    </fieldset>`;
  }

  private check(form: Form, name: string): string | undefined {
    const others = form.kind === 'rename' ? this.names.filter((each) => each !== form.name) : this.names;
    const address = form.kind === 'create' && this.content === 'address';
    return nameProblem(name, others) ?? (address && !zipAddress(this.address) ? texts.addressBad : undefined);
  }

  private answer(name: string) {
    const begin = this.form.kind === 'create' ? this.beginning() : undefined;
    this.dispatchEvent(new CustomEvent<Named>('named', { detail: { name, ...(begin && { begin }) } }));
  }

  private beginning(): Beginning {
    const { beginnings } = this.session;
    return this.content === 'address' ? { from: zipAddress(this.address)! } : beginnings[this.content];
  }

  private get names() {
    return this.session.worlds.map(({ name }) => name);
  }
}
