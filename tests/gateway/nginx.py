"""nginx with all of its files in one folder, at a port of 127.0.0.1: for tests, and for bench/."""

FRAME = """
{modules}
daemon off;
worker_processes 1;
worker_rlimit_nofile {connections};
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections {connections}; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  {settings}
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    {lines}
  }}
}}
"""


def words_for_nginx(folder, port, lines, settings="", modules="", connections=512):
    """Writes nginx's configuration, with `lines` in the server block and `settings` in the http block; returns the
    command line to start it."""
    path = folder / "nginx.conf"
    path.write_text(FRAME.format(folder=folder, port=port, lines=lines, settings=settings, modules=modules,
                                 connections=connections))
    return ["-p", folder, "-c", path, "-e", folder / "error.log"]
