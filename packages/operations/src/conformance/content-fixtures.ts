import { addContent, type Program } from '@baton/engine';
import { type AttachableBlock, BatonError } from '@baton/protocol';
import { z } from 'zod';
import { fixture, NOTHING, say } from './fixture.ts';

/** A PNG of one red pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
/** A WAV of no samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

const IMAGE: AttachableBlock = { type: 'image', data: PNG, mimeType: 'image/png' };

/** Tools whose results have content of each of MCP's types. */
export const contentFixtures = [
  fixture('test_simple_text', 'Says a sentence.', NOTHING, () =>
    say('This is a simple text response for testing.'),
  ),
  fixture('test_image_content', 'Shows an image.', NOTHING, () => showing('An image:', IMAGE)),
  fixture('test_audio_content', 'Plays a sound.', NOTHING, () =>
    showing('A sound:', { type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  ),
  fixture('test_embedded_resource', 'Shows a resource.', NOTHING, () =>
    showing('A resource:', {
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    }),
  ),
  fixture('test_multiple_content_types', 'Shows an image and a resource.', NOTHING, () =>
    showing('Multiple content types test:', IMAGE, {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: '{"test":"data","value":123}',
      },
    }),
  ),
  fixture('test_error_handling', 'Fails.', NOTHING, () => {
    throw new BatonError('agent_error', 'This tool intentionally returns an error for testing');
  }),
  fixture('greet', 'Greets somebody.', z.strictObject({ name: z.string().max(200) }), ({ name }) =>
    say(`Hello, ${name}!`),
  ),
  ...[
    'test_logging_tool',
    'test_tool_with_logging',
    'test_trigger_tool_change',
    'test_trigger_prompt_change',
  ].map((name) => fixture(name, 'Says that it was called.', NOTHING, () => say(`${name} was called.`))),
];

function* showing(text: string, ...blocks: AttachableBlock[]): Program<string> {
  yield* addContent(blocks, 0);
  return text;
}
