/** JSON that is being typed into the page: its value, or what keeps it from being JSON. The server parses again whatever is sent. */
export function parseTypedJson(
  text: string,
):
  | { readonly value: unknown; readonly problem: undefined }
  | { readonly value: undefined; readonly problem: string } {
  try {
    return { value: JSON.parse(text) as unknown, problem: undefined };
  } catch (error) {
    return {
      value: undefined,
      problem: `No JSON yet: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
