import type { Attack } from '../target/attack.ts';
import { tenantRateExhaustion } from './limits/tenant-rate-exhaustion.ts';
import { promptsThatGrow, tagsWithinEachOther } from './agents/amplified-prompts.ts';
import { changesOfToolLists } from './agents/changes-of-tool-lists.ts';
import { madeUpModels } from './agents/made-up-models.ts';
import { forgedHosts } from './forged-hosts.ts';
import { guessedOperatorTokens } from './guessed-operator-tokens.ts';
import { heldCallsOfEndedKeys } from './held-calls-of-ended-keys.ts';
import { largeProjects } from './projects/large-projects.ts';
import { loggedRedisArguments } from './logged-redis-arguments.ts';
import { echoedKeys } from './providers/echoed-keys.ts';
import { hangingEndpoints } from './providers/hanging-endpoints.ts';
import { reboundNames, redirectsInward } from './providers/inward-endpoints.ts';
import { requestsAgainstAgents } from './requests-against-agents.ts';
import { jsonInsideStrings } from './json-inside-strings.ts';
import { largeBodies } from './limits/large-bodies.ts';
import { largeReplies } from './limits/large-replies.ts';
import { rateLimitedBodies } from './limits/rate-limited-bodies.ts';
import { schemaCrosstalk } from './schema-crosstalk.ts';
import {
  floodOfChunks,
  floodOfConversations,
  floodOfEndedTasks,
  floodOfParkedTasks,
  floodOfProjects,
  floodOfPrompts,
} from './storage-floods.ts';
import { strongerKeys } from './stronger-keys.ts';
import { emptyAnswerChunks } from './limits/empty-answer-chunks.ts';
import { unmatchedFilters } from './limits/unmatched-filters.ts';
import { checksThatCostNothing, slowChecksOfOthers } from './limits/slow-checks.ts';
import { waitsLeftBehind } from './limits/waits-left-behind.ts';
import { streamsOfOneTask } from './limits/streams-of-one-task.ts';
import { unreadReplies } from './limits/unread-replies.ts';
import { heldClaims } from './redis-time/held-claims.ts';
import { listStorms } from './redis-time/list-storms.ts';
import { manyPastInteractions } from './redis-time/many-past-interactions.ts';
import { unboundedKeys } from './redis-time/unbounded-keys.ts';

/** Every class of attacks. */
export const ATTACKS: readonly Attack[] = [
  promptsThatGrow,
  tagsWithinEachOther,
  changesOfToolLists,
  madeUpModels,
  tenantRateExhaustion,
  forgedHosts,
  guessedOperatorTokens,
  heldCallsOfEndedKeys,
  largeProjects,
  loggedRedisArguments,
  reboundNames,
  redirectsInward,
  echoedKeys,
  hangingEndpoints,
  requestsAgainstAgents,
  jsonInsideStrings,
  largeBodies,
  largeReplies,
  rateLimitedBodies,
  streamsOfOneTask,
  schemaCrosstalk,
  floodOfChunks,
  floodOfEndedTasks,
  floodOfParkedTasks,
  floodOfProjects,
  floodOfPrompts,
  floodOfConversations,
  strongerKeys,
  emptyAnswerChunks,
  unmatchedFilters,
  unreadReplies,
  waitsLeftBehind,
  slowChecksOfOthers,
  checksThatCostNothing,
  heldClaims,
  listStorms,
  manyPastInteractions,
  unboundedKeys,
];
