interface Keyed {
  readonly key: string;
}
interface Row {
  readonly element: Element;
}
interface Drawing<Item, Drawn> {
  create(item: Item): Drawn;
  update(row: Drawn, item: Item, index: number, items: readonly Item[]): void;
}

/** Shows items in order. Elements are kept by key, so that what stays is never drawn twice. */
export function keyedList<Item extends Keyed, Drawn extends Row>(
  box: Element,
  { create, update }: Drawing<Item, Drawn>,
): (items: readonly Item[]) => void {
  const rows = new Map<string, Drawn>();

  function removeAllBut(keys: ReadonlySet<string>): void {
    for (const [key, { element }] of rows) {
      if (keys.has(key)) continue;
      element.remove();
      rows.delete(key);
    }
  }

  return (items) => {
    removeAllBut(new Set(items.map(({ key }) => key)));
    items.forEach((item, index) => {
      const row = rows.get(item.key) ?? create(item);
      rows.set(item.key, row);
      update(row, item, index, items);
      const there = box.children[index] ?? null;
      if (there !== row.element) box.insertBefore(row.element, there);
    });
  };
}
