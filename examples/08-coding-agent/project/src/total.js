/** Sums the lines of a receipt in cents: price × quantity, less the discount in percent. */
export function total(lines, discountPercent = 0) {
  let cents = 0;
  for (let index = 1; index < lines.length; index += 1) {
    cents += lines[index].price * lines[index].quantity;
  }
  return Math.round(cents * (1 - discountPercent / 100));
}
