// One session of an official client, told by a JSON argument, its findings printed as JSON:
//   {sdk: 1|2, mode: auto|legacy|pin, url | command: [...], token?, calls: [{name, arguments}], read: [uri]}
const spec = JSON.parse(process.argv[2]);
const found = { calls: [], read: [] };

async function connect() {
  const requestInit = { headers: spec.token ? { Authorization: `Bearer ${spec.token}` } : {} };
  const stdio = spec.command && { command: spec.command[0], args: spec.command.slice(1), env: process.env, stderr: 'inherit' };
  if (spec.sdk === 1) {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const transport = stdio ? new StdioClientTransport(stdio) : new StreamableHTTPClientTransport(new URL(spec.url), { requestInit });
    const client = new Client({ name: 'test-v1', version: '1' }, { capabilities: {} });
    await client.connect(transport);
    found.version = transport.protocolVersion ?? null;
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const transport = stdio ? new (await import('@modelcontextprotocol/client/stdio')).StdioClientTransport(stdio)
                          : new StreamableHTTPClientTransport(new URL(spec.url), { requestInit });
  const mode = spec.mode === 'pin' ? { pin: '2026-07-28' } : spec.mode;
  const client = new Client({ name: 'test-v2', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  found.version = client.getNegotiatedProtocolVersion?.() ?? null;
  return client;
}

const client = await connect();
found.server = client.getServerVersion?.() ?? null;
found.capabilities = client.getServerCapabilities();
found.tools = (await client.listTools()).tools;
found.resources = (await client.listResources()).resources;
found.templates = (await client.listResourceTemplates()).resourceTemplates;
found.prompts = (await client.listPrompts()).prompts;
for (const uri of spec.read ?? []) {
  try { found.read.push(await client.readResource({ uri })); } catch (e) { found.read.push({ error: { code: e.code, message: e.message } }); }
}
for (const call of spec.calls ?? []) {
  try { found.calls.push(await client.callTool(call)); } catch (e) { found.calls.push({ error: { code: e.code, message: e.message } }); }
}
await client.close();
console.log(JSON.stringify(found));
process.exit(0);
