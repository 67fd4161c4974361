import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';

/** Describes the routes that are added afterwards at `GET /openapi.json`. */
export async function addOpenApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'vc', version, description: 'Virtual computers: create, control, watch.' },
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
    },
    transform: jsonSchemaTransform,
  });
  let text: Buffer | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    // Once: it needs no key.
    text ??= Buffer.from(JSON.stringify(app.swagger()));
    return reply.type('application/json; charset=utf-8').send(text);
  });
}
