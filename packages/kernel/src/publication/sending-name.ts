/** Name under which a sending counts as unsettled in its process. */
export function sendingName(goalUid: string, publicationId: string): string {
  return JSON.stringify(['publication', goalUid, publicationId]);
}
