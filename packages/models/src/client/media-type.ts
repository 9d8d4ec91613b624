/** The media type of an answer, in lower case; null when there is none. */
export function mediaType(response: Response): string | null {
  const header = response.headers.get('content-type');
  const type = header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  // Anything longer or stranger than a media type is not repeated in a message.
  return /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/.test(type) ? type : null;
}

/** Reports whether a media type promises JSON. */
export function isJsonType(type: string): boolean {
  return type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type);
}
