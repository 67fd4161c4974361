module.exports = {
  vc: {
    input: './openapi.json',
    output: {
      target: './orval/client.ts',
      client: 'fetch',
      baseUrl: { getBaseUrlFromSpecification: true },
    },
  },
};
