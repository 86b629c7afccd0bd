import {
  type RenderItemFunction,
  type VirtualizeDirectiveConfig,
  virtualize,
} from '@lit-labs/virtualizer/virtualize.js';
import { html } from 'lit';

interface LongList<T> {
  items: T[];
  keyFunction: (item: T) => unknown;
  renderItem: RenderItemFunction<T>;
  layout?: VirtualizeDirectiveConfig<T>['layout'];
}

/**
 * The part of a long list that can be seen, in an element that scrolls. When a list gets shorter the virtualizer asks once
 * more for lines of the longer one, which are not there: they are drawn as nothing.
 */
export const virtualList = <T>({ items, keyFunction, renderItem, layout }: LongList<T>) =>
  virtualize<T | undefined>({
    items,
    keyFunction: (item, index) => (item === undefined ? index : keyFunction(item)),
    renderItem: (item, index) => (item === undefined ? html`` : renderItem(item, index)),
    scroller: true,
    ...(layout && { layout }),
  });
